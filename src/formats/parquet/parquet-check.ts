/**
 * Validates the pages of a column before hyparquet decodes them. The library trusts page headers: in
 * a damaged file, a run of two billion values exhausts memory, and a block of negative size never
 * ends. Checking adds about a third to the time of columns that the library decodes.
 */

import type { ColumnMetaData, Compressors, SchemaTree } from 'hyparquet'
import {
  cutOut,
  cutPage,
  DICTIONARY_ENCODINGS,
  MAX_WIDTH,
  type PageHeader,
  type Position,
  readPackedNumbers,
  readPageHeader,
  readVarint,
} from './parquet-page.ts'

/** The maximum definition and repetition levels of a column. */
export interface Depth {
  readonly definition: number
  readonly repetition: number
  /** True for one value per row: neither in a group nor repeated. */
  readonly isFlat: boolean
}

export function depthOf(root: SchemaTree, path: readonly string[]): Depth {
  let [definition, repetition] = [0, 0]
  let node = root
  for (const name of path) {
    const child = node.children.find(({ element }) => element.name === name)
    if (child === undefined) throw new Error('the schema does not have this column')
    const type = child.element.repetition_type
    if (type !== 'REQUIRED') definition += 1
    if (type === 'REPEATED') repetition += 1
    node = child
  }
  return { definition, repetition, isFlat: path.length === 1 && repetition === 0 }
}

const RLE_ENCODING = 3
/** The delta encodings, with their number of packed sequences. */
const DELTA_SEQUENCES: Readonly<Record<number, number>> = { 5: 1, 6: 1, 7: 2 }

type Decompress = (page: Uint8Array, length: number) => Uint8Array

/** Throws if a page of the column is invalid. */
export function checkPages(
  chunk: Uint8Array,
  column: ColumnMetaData,
  { depth, rows }: { readonly depth: Depth; readonly rows: number },
  compressors: Compressors,
): void {
  const decompress =
    column.codec === 'UNCOMPRESSED' ? (page: Uint8Array) => page : compressors[column.codec]
  if (decompress === undefined) throw new Error(`the compression ${column.codec} is not supported`)
  const position = { at: 0 }
  let left = depth.isFlat ? rows : Number(column.num_values)
  let dictionarySize = 0
  // Stops where the library does: after the last page of a flat column, or of the chunk.
  while (position.at < chunk.length - 1 && (left > 0 || !depth.isFlat)) {
    const header = readPageHeader(chunk, position)
    const stored = cutPage(chunk, position, header, column)
    if (header.type === 'other') throw new Error('a page has an unknown type')
    if (header.type === 'dictionary') {
      dictionarySize = header.valueCount
      continue
    }
    left -= header.valueCount
    const hasOtherRows =
      depth.isFlat && header.type === 'data 2' && header.rowCount !== header.valueCount
    if (left < 0 || hasOtherRows) throw new Error('a page has too many values')
    checkDataPage(stored, header, { type: column.type, depth, dictionarySize }, decompress)
  }
}

interface CheckedColumn {
  readonly type: ColumnMetaData['type']
  readonly depth: Depth
  readonly dictionarySize: number
}

function checkDataPage(
  stored: Uint8Array,
  header: PageHeader,
  { type, depth, dictionarySize }: CheckedColumn,
  decompress: Decompress,
): void {
  const isSecond = header.type === 'data 2'
  const { valueCount, repetitionBytes, encoding } = header
  const levelsEnd = repetitionBytes + header.levelBytes
  if (levelsEnd > stored.length || levelsEnd > header.bytes) {
    throw new Error('the levels of a page are longer than the page')
  }
  const body = stored.subarray(levelsEnd)
  const page = header.isCompressed ? decompress(body, header.bytes - levelsEnd) : body
  const position = { at: 0 }
  let present = valueCount - header.nullCount
  if (depth.repetition > 0) {
    const levels = isSecond ? stored.subarray(0, repetitionBytes) : cutOut(page, position)
    readLevels(levels, depth.repetition, valueCount)
  }
  if (depth.definition > 0) {
    const levels = isSecond ? stored.subarray(repetitionBytes, levelsEnd) : cutOut(page, position)
    const definitions = readLevels(levels, depth.definition, valueCount)
    if (!isSecond) {
      present = definitions.reduce((sum, level) => sum + (level === depth.definition ? 1 : 0), 0)
    }
  }
  if (encoding === RLE_ENCODING || DICTIONARY_ENCODINGS.includes(encoding)) {
    const isBare = isSecond ? encoding === RLE_ENCODING : type === 'BOOLEAN'
    const width = isBare ? 1 : (page[position.at] ?? 0)
    if (width > MAX_WIDTH)
      throw new Error(`a page has a bit width of ${width}; the maximum is ${MAX_WIDTH}`)
    const numbers = isBare ? cutOut(page, position) : page.subarray(position.at + 1)
    const isRead = isSecond || width > 0
    const indexes = new Uint32Array(present)
    if (isRead) readPackedNumbers(numbers, width, indexes, present)
    // The library would read a missing value.
    if (!isBare && indexes.some((index) => index >= dictionarySize)) {
      throw new Error('an index is outside the dictionary')
    }
  }
  const sequences = DELTA_SEQUENCES[encoding] ?? 0
  for (let sequence = 0; sequence < sequences; sequence += 1) skipDeltas(page, position, present)
}

function readLevels(bytes: Uint8Array, highest: number, count: number): Uint8Array {
  const levels = new Uint8Array(count)
  readPackedNumbers(bytes, 32 - Math.clz32(highest), levels, count)
  return levels
}

/** Far above the block sizes in use, which are some hundred values. */
const MAX_BLOCK = 2 ** 24

/** Skips a DELTA_BINARY_PACKED sequence: blocks of bit-packed miniblocks. */
function skipDeltas(page: Uint8Array, position: Position, count: number): void {
  const blockSize = readVarint(page, position)
  const miniblocks = readVarint(page, position)
  readVarint(page, position)
  readVarint(page, position)
  const size = blockSize / miniblocks
  if (!(blockSize > 0 && blockSize <= MAX_BLOCK && size > 0 && size % 8 === 0)) {
    throw new Error('a page has an invalid block size')
  }
  for (let done = 1; done < count; ) {
    readVarint(page, position)
    const widths = page.subarray(position.at, position.at + miniblocks)
    position.at += miniblocks
    for (let index = 0; index < miniblocks && done < count; index += 1) {
      position.at += (size * (widths[index] ?? 0)) / 8
      done += size
    }
  }
}
