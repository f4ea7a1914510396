import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runFolder } from './run-folder.ts'

/** A folder of a test's own, removed when it is disposed. */
export interface TempFolder extends Disposable {
  readonly path: string
}

export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(runFolder() ?? tmpdir(), 'oqs-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
