import type { ColumnMetaData, Compressors, SchemaElement } from 'hyparquet'
import {
  cutOut,
  cutPage,
  DICTIONARY_ENCODINGS,
  MAX_WIDTH,
  type PageHeader,
  PLAIN_ENCODINGS,
  readPackedNumbers,
  readPageHeader,
} from './parquet-page.ts'

/**
 * Columns whose values stand in a dictionary, which is how most programs write most columns. Their
 * rows stay numbers of dictionary entries until they are asked for. The Parquet library makes
 * several arrays of values per page instead, and a page can hold a whole row group: three million
 * flights then take more than twice the memory.
 */
export interface DictionaryColumn {
  readonly element: SchemaElement
  /** What becomes of a value as it lies in the dictionary. */
  readonly toValue: (stored: never) => unknown
}

/** The values of some rows. */
export interface ColumnValues {
  readonly length: number
  at(index: number): unknown
}

/** The rows of a column chunk; undefined if not all of them stand in a dictionary. */
export function readDictionaryRows(
  chunk: Uint8Array,
  column: DictionaryColumn,
  metadata: ColumnMetaData,
  compressors: Compressors,
  rows: { readonly start: number; readonly end: number; readonly inGroup: number },
): ColumnValues | undefined {
  const { codec } = metadata
  const decompress = codec === 'UNCOMPRESSED' ? (page: Uint8Array) => page : compressors[codec]
  if (decompress === undefined) return undefined
  const numbers = new Uint32Array(rows.end - rows.start)
  const position = { at: 0 }
  let dictionary: unknown[] | undefined
  let row = 0
  while (row < rows.end) {
    const header = readPageHeader(chunk, position)
    const stored = cutPage(chunk, position, header, metadata)
    if (header.type === 'dictionary') {
      if (!PLAIN_ENCODINGS.includes(header.encoding)) return undefined
      const plain = decompress(stored, header.bytes)
      // Number 0 is a missing value.
      dictionary = [undefined, ...readPlain(plain, header.valueCount, column)]
    } else if (header.type !== 'other') {
      if (dictionary === undefined || !DICTIONARY_ENCODINGS.includes(header.encoding)) {
        return undefined
      }
      const pageEnd = row + header.valueCount
      if (pageEnd > rows.inGroup) throw new Error('a page has too many values')
      if (pageEnd > rows.start) {
        const page = readNumbers(stored, header, column, decompress)
        if (page === undefined) return undefined
        const from = Math.max(rows.start - row, 0)
        numbers.set(page.subarray(from, rows.end - row), row + from - rows.start)
      }
      row = pageEnd
    }
  }
  const values = dictionary ?? []
  if (numbers.some((number) => number >= values.length)) {
    throw new Error('a value is not in the dictionary')
  }
  return { length: numbers.length, at: (index) => values[numbers[index] as number] }
}

/** For each row of a page the number of its value, counted from 1; 0 for a missing one. */
function readNumbers(
  stored: Uint8Array,
  header: PageHeader,
  { element }: DictionaryColumn,
  decompress: (page: Uint8Array, length: number) => Uint8Array,
): Uint32Array | undefined {
  const { valueCount, levelBytes } = header
  const values = stored.subarray(levelBytes)
  const page = header.isCompressed ? decompress(values, header.bytes - levelBytes) : values
  const position = { at: 0 }
  let present: Uint8Array | undefined
  if (element.repetition_type === 'OPTIONAL') {
    present = new Uint8Array(valueCount)
    const levels =
      header.type === 'data 2' ? stored.subarray(0, levelBytes) : cutOut(page, position)
    readPackedNumbers(levels, 1, present, valueCount)
  }
  const presentCount =
    present === undefined ? valueCount : present.reduce((sum, bit) => sum + bit, 0)
  const numbers = new Uint32Array(valueCount)
  if (presentCount === 0) return numbers
  const width = page[position.at] ?? 0
  if (width > MAX_WIDTH) return undefined
  if (width > 0) readPackedNumbers(page.subarray(position.at + 1), width, numbers, presentCount)
  // From the last to the first, because each number moves to the end, if at all.
  let from = presentCount
  for (let index = valueCount - 1; index >= 0; index -= 1) {
    const isPresent = present === undefined || present[index] === 1
    if (isPresent) from -= 1
    numbers[index] = isPresent ? (numbers[from] as number) + 1 : 0
  }
  return numbers
}

function readPlain(page: Uint8Array, count: number, column: DictionaryColumn): unknown[] {
  const view = viewOf(page)
  const toValue = column.toValue as (stored: unknown) => unknown
  const values: unknown[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    switch (column.element.type) {
      case 'INT32':
        values.push(toValue(view.getInt32(at, true)))
        at += 4
        break
      case 'INT64':
        values.push(toValue(view.getBigInt64(at, true)))
        at += 8
        break
      case 'FLOAT':
        values.push(toValue(view.getFloat32(at, true)))
        at += 4
        break
      case 'DOUBLE':
        values.push(toValue(view.getFloat64(at, true)))
        at += 8
        break
      default: {
        const start = at + 4
        at = start + view.getUint32(at, true)
        if (at > page.length) throw new Error('a text ends outside the dictionary')
        values.push(toValue(page.subarray(start, at)))
      }
    }
  }
  return values
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
