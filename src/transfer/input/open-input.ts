/** Opens a data file or standard input as rows, in any format, compressed or not. */
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import type { FileFormat } from '../../formats/file-format.ts'
import { countBytes, detectStream, readTextRows } from '../../formats/open-stream.ts'
import { readParquet } from '../../formats/parquet/parquet.ts'
import { type ReadRow, type RowSource, UnreadableFile } from '../../formats/row.ts'
import { flatten } from './flatten.ts'
import { decompress, handleBytes, streamBytes } from './input-bytes.ts'
import { fileBytes, spool, TEMP_MAX_BYTES } from './input-file.ts'

export interface InputOptions {
  /** Detected from the name and the content if undefined. */
  readonly format?: FileFormat | undefined
  /** The column delimiter of CSV; detected if undefined. */
  readonly delimiter?: string | undefined
  /** The encoding of text; UTF-8 or UTF-16, as detected, if undefined. */
  readonly encoding?: string | undefined
  /** Whether nested objects become columns of their own. */
  readonly flatten?: boolean | undefined
  /** Columns of Parquet files that are not read. */
  readonly ignore?: ReadonlySet<string> | undefined
  /** Columns of Parquet files whose bytes are text. */
  readonly text?: ReadonlySet<string> | undefined
  readonly stdin: Readable
  /** A copy of standard input to read instead of it. */
  readonly stdinPath?: string | undefined
  /** The limit for temporary files, which compressed or piped Parquet needs. */
  readonly maxTempBytes?: number | undefined
}

export interface Input {
  /** The name for messages. */
  readonly name: string
  readonly format: FileFormat
  /** The size of the file; undefined for a pipe. */
  readonly totalBytes: number | undefined
  /** The number of bytes read so far. */
  bytesRead(): number
  /** The rows, readable once; the file is closed when the iteration ends. */
  readonly source: RowSource
  /** Closes the file if the rows are not read. */
  close(): Promise<void>
}

const STDIN = '-'
export async function openInput(path: string, options: InputOptions): Promise<Input> {
  const name = path === STDIN ? 'standard input' : path
  const cleanups: (() => Promise<void>)[] = []
  const close = async () => {
    for (let next = cleanups.pop(); next !== undefined; next = cleanups.pop()) await next()
  }
  try {
    const file = path === STDIN ? options.stdinPath : path
    const opened = file === undefined ? undefined : await openFile(file)
    if (opened !== undefined) cleanups.push(() => opened.handle.close())
    return await detectFormat({ path, name, opened, options, cleanups, close })
  } catch (error) {
    await close()
    throw withFileName(name, error)
  }
}

interface OpenFile {
  readonly handle: FileHandle
  /** The size of a regular file. */
  readonly size: number | undefined
}

interface Opening {
  readonly path: string
  readonly name: string
  /** Undefined for standard input. */
  readonly opened: OpenFile | undefined
  readonly options: InputOptions
  readonly cleanups: (() => Promise<void>)[]
  readonly close: () => Promise<void>
}

async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r')
  try {
    const stats = await handle.stat()
    if (stats.isDirectory()) throw new UnreadableFile('is a directory')
    return { handle, size: stats.isFile() ? stats.size : undefined }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function detectFormat(opening: Opening): Promise<Input> {
  const { path, name, opened, options, cleanups, close } = opening
  let bytesRead = 0
  const bytes = opened === undefined ? streamBytes(options.stdin) : handleBytes(opened.handle)
  const counted = countBytes(bytes, (count) => {
    bytesRead += count
  })
  const end = async (chunks: AsyncGenerator<Uint8Array>) => {
    // Ends a read that waits for more input.
    if (opened === undefined) options.stdin.destroy()
    await chunks.return(undefined)
  }
  const { format, compression, chunks } = await detectStream(counted, {
    name: basename(path),
    format: options.format,
    encoding: options.encoding,
    decompress,
    onStream: (stream) => cleanups.push(() => end(stream)),
  })
  const totalBytes = opened?.size
  const shared = { name, format, totalBytes, close }
  const finish = (source: RowSource) =>
    closeAfter(options.flatten === true ? flatten(source) : source, name, close)
  if (format !== 'parquet') {
    const source = readTextRows(chunks, format, options.delimiter)
    return { ...shared, bytesRead: () => bytesRead, source: finish(source) }
  }

  let rowsRead = 0
  const handle =
    opened?.size !== undefined && compression === undefined
      ? opened.handle
      : await spool(chunks, { maxBytes: options.maxTempBytes ?? TEMP_MAX_BYTES, cleanups })
  const parquet = await readParquet(await fileBytes(handle), options)
  const rows = countRows(parquet.rows, (line) => {
    rowsRead = line
  })
  return {
    ...shared,
    // Parquet is not read in order, so the progress is estimated from the rows.
    bytesRead: () =>
      totalBytes === undefined
        ? bytesRead
        : Math.round((totalBytes * rowsRead) / Math.max(1, parquet.rowCount)),
    source: finish({ ...parquet, rows }),
  }
}

async function* countRows(
  rows: AsyncIterable<readonly ReadRow[]>,
  reached: (line: number) => void,
): AsyncGenerator<readonly ReadRow[]> {
  for await (const some of rows) {
    reached(some.at(-1)?.line ?? 0)
    yield some
  }
}

/** Closes the file when the rows end for any reason, and adds the file name to errors. */
function closeAfter(source: RowSource, name: string, close: () => Promise<void>): RowSource {
  async function* readAll(): AsyncGenerator<readonly ReadRow[]> {
    try {
      yield* source.rows
    } catch (error) {
      throw withFileName(name, error)
    } finally {
      await close()
    }
  }
  return { ...source, rows: readAll() }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a directory',
  ENOSPC: 'the disk for temporary files is full',
}

/** Adds the name of the file to an error, as one line. */
function withFileName(name: string, error: unknown): unknown {
  if (error instanceof UnreadableFile) {
    const { message, remedy } = error
    return new UnreadableFile(`${name}: ${message}`, { cause: error, remedy })
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return new UnreadableFile(`${name}: ${REASONS[code] ?? message}`, { cause: error })
}
