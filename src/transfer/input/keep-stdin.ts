import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Standard input in a temporary file, to be read more than once; disposing removes it. */
export interface KeptStdin extends AsyncDisposable {
  readonly path: string
}

export async function keepStdin(stdin: Readable, signal: AbortSignal): Promise<KeptStdin> {
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
