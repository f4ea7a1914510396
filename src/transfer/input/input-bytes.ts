/** Streams of bytes between a file and the reader of its format. */
import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Compression } from '../../formats/file-format.ts'
import { UnreadableFile } from '../../formats/row.ts'
import { cutZstdFrames } from './input-zstd.ts'

/** Also determines how many rows are delivered at once: some hundreds. */
const CHUNK_BYTES = 64 * 1024

/** Decompresses a stream. */
export async function* decompress(
  chunks: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Buffer> {
  const options = { chunkSize: CHUNK_BYTES }
  const isGzip = compression === 'gzip'
  const stream = isGzip ? createGunzip(options) : createZstdDecompress(options)
  // An error of the source destroys the stream, so that the loop below throws it.
  pipeline(isGzip ? chunks : cutZstdFrames(chunks), stream, () => {})
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw error instanceof Error && isCompressionError(error)
      ? new UnreadableFile(`the ${compression} data is damaged or truncated: ${error.message}`, {
          cause: error,
        })
      : error
  } finally {
    stream.destroy()
  }
}

function isCompressionError(error: NodeJS.ErrnoException): boolean {
  return /^(?:Z|ZSTD)_/.test(error.code ?? '')
}

/** Reads a file from its current position. */
export async function* handleBytes(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    // A new buffer each time, because the previous one may still be in use.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a stream as buffers, also if it yields strings. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
  }
}
