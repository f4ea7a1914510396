import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { PeerMissing } from './peer.ts'

/** Peers that are used as they are found on the path. */

export interface Program {
  readonly file: string
  /** What it says of itself. */
  readonly version: string
}

export async function findProgram(name: string): Promise<Program> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const file = folders.map((folder) => join(folder, name)).find(isExecutable)
  if (file === undefined) throw new PeerMissing(`no ${name} on the path`)
  const { stdout } = await promisify(execFile)(file, ['--version'])
  return { file, version: /\d[\w.-]*/.exec(stdout)?.[0] ?? '(it does not tell its version)' }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
