import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runFolder } from './run-folder.ts'

/** A temporary folder; disposing removes it. */
export interface TempFolder extends Disposable {
  readonly path: string
}

export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(runFolder() ?? tmpdir(), 'oqs-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
