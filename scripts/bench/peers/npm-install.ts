import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Workspace } from '../workspace.ts'
import { PeerMissing } from './peer.ts'

/** Peers from npm go into the folder of the run: the product never depends on them. */

const TIMEOUT_MS = 300_000

export interface NpmPackage {
  readonly name: string
  readonly version: string
}

/** Gives the folder that the package was installed in. */
export async function npmInstall(
  workspace: Workspace,
  { name, version }: NpmPackage,
): Promise<string> {
  const folder = join(workspace.folder, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  try {
    const command = [...words, '--prefix', folder, `${name}@${version}`]
    await promisify(execFile)('npm', command, { cwd: folder, timeout: TIMEOUT_MS })
  } catch (error) {
    throw new PeerMissing(`npm could not install ${name}@${version} (${reasonOf(error)})`)
  }
  return folder
}

/** The code that npm gives, such as ENOTFOUND: what it says beyond that names hosts and paths. */
function reasonOf(error: unknown): string {
  const { code, stderr = '' } = error as {
    readonly code?: string | number
    readonly stderr?: string
  }
  return /npm error code (\w+)/.exec(stderr)?.[1] ?? `it ended with ${code}`
}
