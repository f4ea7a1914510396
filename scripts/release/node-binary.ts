/** Node.js for another system, in the version and with the checksum of the lock file. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { downloadPackage } from './pack.ts'

const LOCK_FILE = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

export type System = 'linux-arm64' | 'linux-x64' | 'win-x64'

/** Downloads and verifies Node.js; returns the path of its executable in the folder `work`. */
export async function downloadNode(system: System, work: string): Promise<string> {
  const name = `node-${system}`
  const { version, integrity } = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages[
    `node_modules/${name}`
  ]
  const archive = await downloadPackage(name, version, work)
  const sum = `sha512-${hash('sha512', readFileSync(archive), 'base64')}`
  if (sum !== integrity)
    throw new Error(
      `${name}@${version} has the checksum ${sum}, but package-lock.json ${integrity}`,
    )
  const path = system === 'win-x64' ? 'package/bin/node.exe' : 'package/bin/node'
  await promisify(execFile)('tar', ['-xzf', archive, '-C', work, path])
  return join(work, path)
}
