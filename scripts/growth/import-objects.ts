import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Workspace } from '../bench/workspace.ts'

/** What an import took, until its objects could be read. */
export interface Imported {
  readonly seconds: number
  /** Of all threads. */
  readonly cpuMicros: number
  /** The most memory of its own that was seen. */
  readonly megabytes: number
}

const IMPORT = fileURLToPath(new URL('./import-process.ts', import.meta.url))

export async function importObjects(
  workspace: Workspace,
  store: string,
  objects: number,
): Promise<Imported> {
  const child = fork(IMPORT, [store, String(objects)])
  workspace.adopt(child)
  let imported: Imported | undefined
  child.once('message', (message) => {
    imported = message as Imported
  })
  const [status] = await once(child, 'exit')
  if (imported === undefined) throw new Error(`an import ended with ${status}`)
  return imported
}
