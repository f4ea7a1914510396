import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { StaticFile } from './static-file.ts'

/**
 * Loads and compresses the script of the API reference, 4 MB inside of a package, in a thread:
 * importing the package takes 200 ms, and its memory is gone with the thread.
 */
export function loadReferenceScript(): Promise<StaticFile> {
  const worker = new Worker(siblingModule('reference-script-thread', import.meta.url))
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)))
  })
}
