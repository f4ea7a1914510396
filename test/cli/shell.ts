import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../src/server/config.ts'
import { type Finished, OQS, RELEASED_OQS } from '../support/oqs-process.ts'
import { startProcess } from '../support/own-process.ts'

/** Runs command lines in bash, with `oqs` on the path. */

/** Writes an `oqs` script to a folder; returns a PATH that includes it. */
export function pathWithOqs(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const file = join(bin, 'oqs')
  const program = RELEASED_OQS ?? `${process.execPath}" "${OQS}`
  writeFileSync(file, `#!/bin/sh\nexec "${program}" "$@"\n`)
  chmodSync(file, 0o755)
  return `${bin}:${process.env['PATH']}`
}

export async function runLine(
  line: string,
  cwd: string,
  environment: Environment,
): Promise<Finished> {
  const child = startProcess('bash', ['-o', 'pipefail', '-c', line], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
