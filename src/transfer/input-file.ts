import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParquetBytes } from '../formats/parquet.ts'
import { UnreadableFile } from '../formats/row.ts'

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

/** Keeps a stream in a temporary file; the clean-up removes it. */
export async function spool(
  chunks: AsyncIterable<Buffer>,
  cleanups: (() => Promise<void>)[],
): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'oqs-input-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const handle = await open(join(folder, 'data'), 'wx+', 0o600)
  cleanups.push(() => handle.close())
  for await (const chunk of chunks) await handle.write(chunk)
  return handle
}
