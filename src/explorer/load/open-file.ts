/** Opens a file that the user chose as rows, without ever holding it in memory. */
import type { Compression, FileFormat } from '../../formats/file-format.ts'
import { countBytes, detectStream, readTextRows } from '../../formats/open-stream.ts'
import { type RowSource, UnreadableFile } from '../../formats/row.ts'

export interface OpenFile {
  readonly format: FileFormat
  readonly source: RowSource
  /** The number of bytes read so far; for Parquet an estimate from the rows. */
  readonly bytesRead: () => number
}

/** Also determines how many rows are delivered at once. */
const SLICE_BYTES = 256 * 1024

export async function openFile(file: File): Promise<OpenFile> {
  let bytes = 0
  const counted = countBytes(slices(file), (count) => {
    bytes += count
  })
  const { format, compression, chunks } = await detectStream(counted, {
    name: file.name,
    decompress,
    onStream: () => {},
  })
  if (format !== 'parquet') {
    return { format, source: readTextRows(chunks, format), bytesRead: () => bytes }
  }
  const whole = compression === undefined ? file : await blobOf(chunks)
  await chunks.return(undefined)
  return openParquet(whole, file.size)
}

async function openParquet(blob: Blob, fileBytes: number): Promise<OpenFile> {
  // Loaded on use: the decompressors are larger than all other formats together.
  const { readParquet } = await import('../../formats/parquet/parquet.ts').catch(
    (error: unknown) => {
      throw new Error(
        'The part of the page that reads Parquet could not be loaded. Check that the service can be reached, then choose the file again; if that does not help, reload the page.',
        { cause: error },
      )
    },
  )
  const { rowCount, ...parquet } = await readParquet({
    byteLength: blob.size,
    slice: (start, end) => blob.slice(start, end).arrayBuffer(),
  })
  let rowsRead = 0
  async function* counted(): RowSource['rows'] extends AsyncIterable<infer Rows>
    ? AsyncGenerator<Rows>
    : never {
    for await (const some of parquet.rows) {
      rowsRead = some.at(-1)?.line ?? rowsRead
      yield some
    }
  }
  return {
    format: 'parquet',
    source: { ...parquet, rows: counted() },
    bytesRead: () => Math.round((fileBytes * rowsRead) / Math.max(1, rowCount)),
  }
}

async function* slices(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    yield new Uint8Array(await readSlice(file, at))
  }
}

async function readSlice(file: File, at: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(at, at + SLICE_BYTES).arrayBuffer()
  } catch (error) {
    throw new UnreadableFile(
      'cannot be read any more: it was changed, moved or deleted. Choose it again.',
      { cause: error },
    )
  }
}

async function* decompress(
  chunks: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  if (compression !== 'gzip') {
    throw new UnreadableFile(
      `is compressed with ${compression}, which browsers cannot read. Decompress it, or load it with \`oqs import\`.`,
    )
  }
  const reader = streamOf(chunks).pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(
      `the gzip data is damaged, truncated or followed by other data: ${(error as Error).message}`,
      { cause: error },
    )
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<BufferSource> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream<BufferSource>({
    pull: async (controller) => {
      const { value, done } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value as Uint8Array<ArrayBuffer>)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}

/** Collects a stream; the browser keeps a large blob on disk. */
function blobOf(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  return new Response(streamOf(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>).blob()
}
