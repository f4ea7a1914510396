import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A temporary copy of standard input that can be read repeatedly; disposing removes it. */
export interface SpooledStdin extends AsyncDisposable {
  readonly path: string
}

export async function spoolStdin(stdin: Readable, signal: AbortSignal): Promise<SpooledStdin> {
  const folder = await mkdtemp(join(tmpdir(), 'oqs-stdin-'))
  const path = join(folder, 'data')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { path, [Symbol.asyncDispose]: remove }
}
