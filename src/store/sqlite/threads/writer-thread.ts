/** The entry point of the writer thread: a large batch does not block readers on the main thread. */
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../admission/background-priority.ts'
import { databasePath } from './serve-jobs.ts'
import { serveWrites } from './serve-writes.ts'

lowerThreadPriority()
if (parentPort !== null) serveWrites(databasePath(), parentPort)
