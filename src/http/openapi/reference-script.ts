import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { StaticFile } from '../response/static-file.ts'

/**
 * Loads and compresses the 4 MB script of the API reference in a worker thread: importing its
 * package takes 200 ms, and the thread frees the memory when it exits.
 */
export function loadReferenceScript(): Promise<StaticFile> {
  const worker = new Worker(siblingModule('reference-script-thread', import.meta.url))
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) =>
      reject(new Error(`The reference script thread exited with code ${code}.`)),
    )
  })
}
