import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParquetBytes } from '../../formats/parquet/parquet.ts'
import { UnreadableFile } from '../../formats/row.ts'

/** Files of which any part is read, as Parquet needs it. */

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
    if (bytesRead === 0) throw new UnreadableFile('the file ends before it should')
    filled += bytesRead
  }
  return buffer
}

/** Room for a temporary file where nothing else is said: more than nearly all data that is shared. */
export const TEMP_MAX_BYTES = 16 * 1024 ** 3

export interface SpoolOptions {
  /** More bytes than this are refused: a small compressed file can hold any number. */
  readonly maxBytes: number
  /** What removes the file, and must run in every case. */
  readonly cleanups: (() => Promise<void>)[]
}

/** Keeps a stream in a temporary file; the clean-up removes it. */
export async function spool(
  chunks: AsyncIterable<Buffer>,
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
      throw new UnreadableFile(
        `takes more than ${maxBytes} bytes as a temporary file; decompress it first, or raise --max-temp-bytes`,
      )
    }
    await handle.write(chunk)
  }
  return handle
}
