/** Files with random access, which Parquet needs. */

import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ParquetBytes } from '../../formats/parquet/parquet.ts'
import { UnreadableFile } from '../../formats/row.ts'

export async function fileBytes(handle: FileHandle): Promise<ParquetBytes> {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    slice: (start, end = size) => readRange(handle, start, end),
  }
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const buffer = new ArrayBuffer(Math.max(0, end - start))
  let filled = 0
  while (filled < buffer.byteLength) {
    const { bytesRead } = await handle.read(
      new Uint8Array(buffer, filled),
      0,
      buffer.byteLength - filled,
      start + filled,
    )
    if (bytesRead === 0) throw new UnreadableFile('the file is truncated')
    filled += bytesRead
  }
  return buffer
}

/** The default limit for temporary files. */
export const TEMP_MAX_BYTES = 16 * 1024 ** 3

export interface SpoolOptions {
  /** Protects the disk: a small compressed file can hold any number of bytes. */
  readonly maxBytes: number
  /** Receives the functions that remove the file; the caller must run them in every case. */
  readonly cleanups: (() => Promise<void>)[]
}

/** Copies a stream to a temporary file. */
export async function spool(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, cleanups }: SpoolOptions,
): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'oqs-input-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const handle = await open(join(folder, 'data'), 'wx+', 0o600)
  cleanups.push(() => handle.close())
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new UnreadableFile(`needs more than ${maxBytes} bytes as a temporary file`, {
        remedy: { do: 'raiseTemporaryBytes' },
      })
    }
    // Unlike `write`, this continues after a short write.
    await handle.appendFile(chunk)
  }
  return handle
}

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
