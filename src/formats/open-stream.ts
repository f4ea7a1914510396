/** Detects what a stream of bytes holds, and reads its rows. */
import { readCsv } from './csv/read-csv.ts'
import {
  COMPRESSION_BYTES,
  type Compression,
  canDetectFormat,
  compressionOfBytes,
  type FileFormat,
  formatOfBytes,
  formatOfName,
  isParquet,
  isZip,
} from './file-format.ts'
import { readJsonArray } from './json/json-array.ts'
import { readNdjson } from './json/ndjson.ts'
import { type RowSource, UnreadableFile } from './row.ts'
import { concatBytes } from './utf8.ts'

/** How many bytes to search for the end of the first line, which may show the format. */
const HEAD_BYTES = 64 * 1024

export interface StreamOptions {
  /** The name of the file, without folders. */
  readonly name: string
  /** Detected from the name and the content if undefined. */
  readonly format?: FileFormat | undefined
  /** The text encoding; UTF-8 or UTF-16, as detected, if undefined. */
  readonly encoding?: string | undefined
  readonly decompress: (
    chunks: AsyncIterable<Uint8Array>,
    compression: Compression,
  ) => AsyncIterable<Uint8Array>
  /** Receives the streams that the caller must end, also if the detection fails. */
  readonly onStream: (chunks: AsyncGenerator<Uint8Array>) => void
}

export interface DetectedStream {
  readonly format: FileFormat
  readonly compression: Compression | undefined
  /** The decompressed bytes. */
  readonly chunks: AsyncGenerator<Uint8Array>
}

export async function detectStream(
  source: AsyncIterable<Uint8Array>,
  { name, format, encoding, decompress, onStream }: StreamOptions,
): Promise<DetectedStream> {
  const raw = await peek(source, (head) => head.length >= COMPRESSION_BYTES)
  onStream(raw.chunks)
  if (raw.head.length === 0) throw new UnreadableFile('is empty')
  const byName = formatOfName(name)
  const compression = compressionOfBytes(raw.head)
  if (byName.compression !== undefined && byName.compression !== compression) {
    throw new UnreadableFile(
      `has a ${byName.compression} file name, but is not ${byName.compression} data. Rename the file.`,
    )
  }
  const plain = await peekFormat(
    compression === undefined ? raw.chunks : decompress(raw.chunks, compression),
  )
  onStream(plain.chunks)
  if (plain.head.length === 0) throw new UnreadableFile('is empty after decompression')
  if (isZip(plain.head)) {
    throw new UnreadableFile(
      'is a ZIP archive or a workbook. Save its sheet as CSV, or extract it, and use that file.',
    )
  }
  const { head, chunks } = await convertToUtf8(plain, encoding)
  if (chunks !== plain.chunks) onStream(chunks)
  return { format: format ?? formatOfBytes(head, byName.format), compression, chunks }
}

function peekFormat(source: AsyncIterable<Uint8Array>): Promise<PeekedBytes> {
  return peek(source, (head) => head.length >= HEAD_BYTES || canDetectFormat(head))
}

async function convertToUtf8(plain: PeekedBytes, given: string | undefined): Promise<PeekedBytes> {
  const { head, chunks } = plain
  const encoding = isParquet(head) ? undefined : (given ?? encodingOfBytes(head))
  if (encoding === undefined || encoding === 'utf-8') return plain
  return peekFormat(toUtf8(chunks, encoding))
}

/** Reads the rows of every format but Parquet, which needs random access. */
export function readTextRows(
  chunks: AsyncIterable<Uint8Array>,
  format: Exclude<FileFormat, 'parquet'>,
  delimiter?: string,
): RowSource {
  switch (format) {
    case 'csv':
      return readCsv(chunks, { delimiter })
    case 'tsv':
      return readCsv(chunks, { delimiter: delimiter ?? '\t' })
    case 'ndjson':
      return readNdjson(chunks)
    case 'json':
      return readJsonArray(chunks)
  }
}

/** Yields the chunks, and reports the size of each. */
export async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length)
    yield chunk
  }
}

/** A stream whose first bytes were read ahead. */
interface PeekedBytes {
  /** The first bytes; all bytes of a short stream. */
  readonly head: Uint8Array
  /** All bytes, including `head`. */
  readonly chunks: AsyncGenerator<Uint8Array>
}

async function peek(
  source: AsyncIterable<Uint8Array>,
  isEnough: (head: Uint8Array) => boolean,
): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array(0)
  while (!isEnough(head)) {
    const { value, done } = await iterator.next()
    if (done === true) break
    head = head.length === 0 ? value : concatBytes([head, value])
  }
  return { head, chunks: replay(head, iterator) }
}

async function* replay(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      yield next.value
    }
  } finally {
    await rest.return?.()
  }
}

/** The number of bytes that are inspected for the zeros of UTF-16. */
const SAMPLE_BYTES = 512
const MIN_SAMPLE_BYTES = 8

/** Detects UTF-16, by its byte order mark or by the zeros between Latin letters. */
function encodingOfBytes(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const sample = head.subarray(0, SAMPLE_BYTES)
  if (sample.length < MIN_SAMPLE_BYTES) return undefined
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  const most = sample.length / 4
  if (odd > most && even === 0) return 'utf-16le'
  return even > most && odd === 0 ? 'utf-16be' : undefined
}

/** Converts a stream to UTF-8, without a byte order mark. */
async function* toUtf8(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const encoder = new TextEncoder()
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      const remedy = { do: 'nameEncoding' } as const
      throw new UnreadableFile(`is not ${encoding}`, { cause: error, remedy })
    }
  }
  for await (const chunk of chunks) {
    const text = decode(chunk)
    if (text !== '') yield encoder.encode(text)
  }
  const rest = decode()
  if (rest !== '') yield encoder.encode(rest)
}
