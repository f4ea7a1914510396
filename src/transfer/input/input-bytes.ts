/** Streams of bytes between a file and the reader of its format. */
import type { FileHandle } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Compression } from '../../formats/file-format.ts'
import { UnreadableFile } from '../../formats/row.ts'

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

/** Each read is a task for another thread, which costs more than the bytes. */
const READ_BYTES = 16 * CHUNK_BYTES

/** Reads a file from its current position. */
export async function* handleBytes(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    // A new buffer each time, because the previous one may still be in use.
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, null)
    if (bytesRead === 0) return
    for (let at = 0; at < bytesRead; at += CHUNK_BYTES) {
      yield buffer.subarray(at, Math.min(at + CHUNK_BYTES, bytesRead))
    }
  }
}

/** Reads a stream as buffers, also if it yields strings. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
  }
}

/**
 * Splits a Zstandard stream at its frame boundaries, so that no chunk has bytes of two frames: the
 * decompressor of Node.js stops after the first frame of a chunk and silently drops the rest.
 * Parallel compressors and `cat a.zst b.zst` write streams of several frames.
 */
async function* cutZstdFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames()
  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; ) {
      at = frames.advance(chunk, at)
      if (frames.isAtEnd || at === chunk.length) {
        yield chunk.subarray(start, at)
        start = at
      }
    }
  }
}

const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a5
const DICTIONARY_ID_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]
const RLE_BLOCK = 1

type Part =
  | 'magic'
  | 'skipped size'
  | 'skipped'
  | 'descriptor'
  | 'header'
  | 'block header'
  | 'block'
  | 'checksum'

/** Tracks frame and block headers; the content of blocks is skipped. */
class ZstdFrames {
  #part: Part = 'magic'
  /** The remaining bytes of the current part, the number of bytes read, and their value. */
  #left = 4
  #taken = 0
  #value = 0
  #hasChecksum = false
  #isLastBlock = false

  /** Whether the position is between two frames. */
  get isAtEnd(): boolean {
    return this.#part === 'magic' && this.#taken === 0
  }

  /** Reads to the end of the part or the chunk; returns the new offset. */
  advance(chunk: Uint8Array, from: number): number {
    const end = Math.min(from + this.#left, chunk.length)
    if (this.#left <= 4) {
      for (let at = from; at < end; at += 1) {
        this.#value += (chunk[at] as number) * 256 ** this.#taken
        this.#taken += 1
      }
    }
    this.#left -= end - from
    while (this.#left === 0) {
      const [part, bytes] = this.#next()
      this.#part = part
      this.#left = bytes
      this.#taken = 0
      this.#value = 0
    }
    return end
  }

  /** Returns the part that follows the current one, and its length. */
  #next(): [part: Part, bytes: number] {
    const value = this.#value
    switch (this.#part) {
      case 'magic':
        if (value === MAGIC) return ['descriptor', 1]
        if (Math.floor(value / 16) === SKIPPABLE_MAGIC) return ['skipped size', 4]
        throw new UnreadableFile('the zstd data is damaged: a frame has no valid header')
      case 'skipped size':
        return ['skipped', value]
      case 'descriptor':
        return ['header', this.#readDescriptor(value)]
      case 'header':
        return ['block header', 3]
      case 'block header':
        this.#isLastBlock = (value & 1) === 1
        return ['block', ((value >> 1) & 3) === RLE_BLOCK ? 1 : value >> 3]
      case 'block':
        if (!this.#isLastBlock) return ['block header', 3]
        return this.#hasChecksum ? ['checksum', 4] : ['magic', 4]
      case 'skipped':
      case 'checksum':
        return ['magic', 4]
    }
  }

  /** Returns the length of the rest of the header. */
  #readDescriptor(descriptor: number): number {
    const isSingleSegment = (descriptor & 0x20) !== 0
    this.#hasChecksum = (descriptor & 4) !== 0
    const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] as number
    const window = isSingleSegment ? 0 : 1
    const shortSize = isSingleSegment && contentSize === 0 ? 1 : 0
    return window + (DICTIONARY_ID_BYTES[descriptor & 3] as number) + contentSize + shortSize
  }
}
