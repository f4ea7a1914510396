/** Streams of bytes between a file and the reader of its format. */
import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Compression } from '../../formats/file-format.ts'
import { UnreadableFile } from '../../formats/row.ts'
import { cutZstdFrames } from './input-zstd.ts'

/** Also determines how many rows are delivered at once: some hundreds. */
const CHUNK_BYTES = 64 * 1024

/** A stream whose first bytes were read ahead. */
export interface PeekedBytes {
  /** The first bytes; all bytes of a short stream. */
  readonly head: Buffer
  /** All bytes, including `head`. */
  readonly chunks: AsyncGenerator<Buffer>
}

export async function peek(
  source: AsyncIterable<Buffer>,
  isEnough: (head: Buffer) => boolean,
): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (!isEnough(head)) {
    const { value, done } = await iterator.next()
    if (done === true) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  return { head, chunks: replay(head, iterator) }
}

async function* replay(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      yield next.value
    }
  } finally {
    await rest.return?.()
  }
}

/** Decompresses a stream. */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
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
