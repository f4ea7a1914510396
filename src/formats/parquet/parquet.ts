/** Reads Parquet files in pieces: a few columns of some thousand rows are in memory at a time. */

import {
  type AsyncBuffer,
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type RowGroup,
} from 'hyparquet'
import { compressors as decoders } from 'hyparquet-compressors'
import { type DeclaredType, type Row, type RowSource, setCell, UnreadableFile } from '../row.ts'
import { checkPages, depthOf } from './parquet-check.ts'
import {
  PARQUET_PARSERS,
  type ParquetColumn,
  type ParquetColumnOptions,
  parquetColumns,
} from './parquet-columns.ts'
import { decimalColumns } from './parquet-types.ts'

/** A file with random access. */
export type ParquetBytes = AsyncBuffer

export interface ParquetSource extends RowSource {
  readonly rowCount: number
}

/** The decoders, of which some expect bytes even of a page without values. */
const compressors: Compressors = Object.fromEntries(
  Object.entries(decoders).map(([codec, decode]) => [
    codec,
    (page: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decode(page, length)),
  ]),
)

/** Limits of one piece; a row group can be much larger. */
const PIECE_VALUES = 1_500_000
const PIECE_BYTES = 16 * 1024 * 1024
/** Rows per yielded batch. */
const BATCH_ROWS = 500

const MAGIC = 'PAR1'

export interface ParquetOptions extends ParquetColumnOptions {
  readonly pieceValues?: number
}

/** Reads the metadata; rows are read as they are consumed. */
export async function readParquet(
  file: ParquetBytes,
  { pieceValues = PIECE_VALUES, ...options }: ParquetOptions = {},
): Promise<ParquetSource> {
  const metadata = await readMetadata(file)
  const { columns, schema } = await readingParquet('the schema', async () =>
    parquetColumns(metadata.schema, options),
  )
  if (columns.length === 0) throw new UnreadableFile('the file has no columns')
  return {
    kind: 'typed',
    rowCount: countRows(metadata),
    types: declaredTypes(columns, decimalColumns(metadata.key_value_metadata)),
    rows: readRows(file, { ...metadata, schema }, columns, pieceValues),
  }
}

function declaredTypes(
  columns: readonly ParquetColumn[],
  decimals: ReadonlySet<string>,
): ReadonlyMap<string, DeclaredType> {
  return new Map(
    columns.flatMap(({ name, declared }): [string, DeclaredType][] => {
      if (declared?.type === 'string' && decimals.has(name)) return [[name, { type: 'decimal' }]]
      return declared === undefined ? [] : [[name, declared]]
    }),
  )
}

function countRows({ row_groups }: FileMetaData): number {
  let sum = 0
  for (const { num_rows } of row_groups) {
    if (num_rows < 0) throw new UnreadableFile(`the metadata claims ${num_rows} rows`)
    sum += Number(num_rows)
  }
  return sum
}

async function readMetadata(file: ParquetBytes): Promise<FileMetaData> {
  const size = MAGIC.length
  const isParquet =
    file.byteLength >= 3 * size &&
    isMagic(await file.slice(0, size)) &&
    isMagic(await file.slice(file.byteLength - size, file.byteLength))
  if (!isParquet) {
    throw new UnreadableFile(
      'not a Parquet file, or truncated: it does not start and end with PAR1',
    )
  }
  return readingParquet('the metadata', () => parquetMetadataAsync(file, { geoparquet: false }))
}

function isMagic(bytes: ArrayBuffer): boolean {
  return String.fromCharCode(...new Uint8Array(bytes)) === MAGIC
}

async function* readRows(
  file: ParquetBytes,
  metadata: FileMetaData,
  columns: readonly ParquetColumn[],
  pieceValues: number,
): AsyncGenerator<readonly Row[]> {
  let rowsBefore = 0
  for (const group of metadata.row_groups) {
    const rowCount = Number(group.num_rows)
    const rowsPerPiece = pieceRows(group, pieceValues / Math.max(1, columns.length))
    for (let start = 0; start < rowCount; start += rowsPerPiece) {
      const piece = {
        group,
        before: rowsBefore,
        start,
        end: Math.min(start + rowsPerPiece, rowCount),
      }
      const values = await readPiece(file, metadata, columns, piece)
      for (let from = start; from < piece.end; from += BATCH_ROWS) {
        yield await readingParquet(`row ${rowsBefore + from + 1} and following`, async () =>
          makeRows(columns, values, piece, from),
        )
      }
    }
    rowsBefore += rowCount
  }
}

/** The values of a range of rows; of an ignored column, none. */
type ColumnValues = ArrayLike<unknown>

/** A range of rows of a row group. */
interface Piece {
  readonly group: RowGroup
  /** The number of rows before the group. */
  readonly before: number
  readonly start: number
  readonly end: number
}

function pieceRows(group: RowGroup, mostRows: number): number {
  const rows = Number(group.num_rows)
  const bytesPerRow = Math.max(1, Number(group.total_byte_size) / Math.max(1, rows))
  const fitting = Math.min(mostRows, PIECE_BYTES / bytesPerRow)
  return Math.max(BATCH_ROWS, Math.floor(fitting))
}

/** Reads column by column, so that the compressed bytes of only one are in memory. */
async function readPiece(
  file: ParquetBytes,
  metadata: FileMetaData,
  columns: readonly ParquetColumn[],
  piece: Piece,
): Promise<ColumnValues[]> {
  const { before, start, end } = piece
  const values: ColumnValues[] = []
  for (const column of columns) {
    if (column.isIgnored) {
      values.push([])
      continue
    }
    const what = `column ${column.name}, rows ${before + start + 1} to ${before + end},`
    const columnValues = await readingParquet(what, () => readColumn(file, metadata, column, piece))
    if (columnValues.length !== end - start) {
      throw new UnreadableFile(`${what} cannot be read: it has ${columnValues.length} values`)
    }
    values.push(columnValues)
  }
  return values
}

async function readChunk(file: ParquetBytes, column: ColumnMetaData): Promise<Uint8Array> {
  const start = Number(column.dictionary_page_offset || column.data_page_offset)
  const end = start + Number(column.total_compressed_size)
  if (start < 0 || end < start || end > file.byteLength) {
    throw new Error('its bytes are outside the file')
  }
  return new Uint8Array(await file.slice(start, end))
}

async function readColumn(
  file: ParquetBytes,
  metadata: FileMetaData,
  { name }: ParquetColumn,
  { group, start, end }: Piece,
): Promise<ColumnValues> {
  // All pieces of a group share the same pages.
  if (start === 0) await checkColumn(file, metadata, name, group)
  // A scan caches its last pages; a new one per column releases them.
  const scan = await parquetScan({
    file,
    metadata: { ...metadata, row_groups: [group] },
    compressors,
    parsers: PARQUET_PARSERS,
    utf8: false,
    geoparquet: false,
    // Reads the pages that were checked, not those that an index points to.
    useOffsetIndex: false,
  })
  return scan.readColumn({ column: name, rowStart: start, rowEnd: end })
}

/** Checks the pages of a column, or of all leaf columns below it. */
async function checkColumn(
  file: ParquetBytes,
  metadata: FileMetaData,
  name: string,
  { columns, num_rows }: RowGroup,
): Promise<void> {
  const root = parquetSchema(metadata)
  for (const { meta_data: column } of columns) {
    if (column?.path_in_schema[0] !== name) continue
    const depth = depthOf(root, column.path_in_schema)
    checkPages(
      await readChunk(file, column),
      column,
      { depth, rows: Number(num_rows) },
      compressors,
    )
  }
}

function makeRows(
  columns: readonly ParquetColumn[],
  values: readonly ColumnValues[],
  { before, start, end }: Piece,
  from: number,
): Row[] {
  const rows: Row[] = []
  for (let index = from; index < Math.min(from + BATCH_ROWS, end); index += 1) {
    const cells: Record<string, unknown> = {}
    for (let column = 0; column < columns.length; column += 1) {
      const { name, isList, convert } = columns[column] as ParquetColumn
      const value: unknown = values[column]?.[index - start] ?? (isList ? [] : undefined)
      setCell(cells, name, value === undefined || convert === undefined ? value : convert(value))
    }
    rows.push({ line: before + index + 1, cells })
  }
  return rows
}

/** Turns errors of the Parquet library into one line for people. */
async function readingParquet<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`${what} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** The library trusts the metadata, so damaged metadata makes it use values that do not exist. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isAccident =
    error instanceof TypeError || error instanceof RangeError || /\bundefined\b/.test(message)
  return isAccident ? 'the file is damaged' : message.replaceAll(/\s+/g, ' ')
}
