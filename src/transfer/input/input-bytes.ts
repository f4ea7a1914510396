import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Compression } from '../../formats/file-format.ts'
import { UnreadableFile } from '../../formats/row.ts'
import { cutZstdFrames } from './input-zstd.ts'

/** Bytes on their way from a file to the reader of its format. */

/** Rows arrive in arrays of what one chunk holds: some hundreds. */
const CHUNK_BYTES = 64 * 1024

/** A stream of bytes of which the beginning can be looked at before it is read. */
export interface PeekedBytes {
  /** All there is, if the stream ends before the beginning is long enough. */
  readonly head: Buffer
  /** Everything, the beginning too. */
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

/** What is in compressed bytes. */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
  compression: Compression,
): AsyncGenerator<Buffer> {
  const options = { chunkSize: CHUNK_BYTES }
  const isGzip = compression === 'gzip'
  const stream = isGzip ? createGunzip(options) : createZstdDecompress(options)
  // An error of the source reaches the stream, and with it the loop below.
  pipeline(isGzip ? chunks : cutZstdFrames(chunks), stream, () => {})
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    throw error instanceof Error && isCompressionError(error)
      ? new UnreadableFile(`the ${compression} data is broken or cut: ${error.message}`, {
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

/** The bytes of a file, from where it stands. */
export async function* handleBytes(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    // A new buffer each time: the one before can still be in use.
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** The bytes of a stream, whatever else can read from it. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
  }
}
