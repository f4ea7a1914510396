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

/**
 * Looks through the pages of a column before the Parquet library decodes them. The library believes
 * what pages say about themselves: in a damaged one, a run of two thousand million values fills all
 * memory, and a block of less than no bytes is read for ever.
 */

/** How deep the values of a column can lie in optional and in repeated elements. */
export interface Depth {
  readonly definition: number
  readonly repetition: number
  /** Neither in a group nor repeated: a value for each row. */
  readonly isFlat: boolean
}

export function depthOf(root: SchemaTree, path: readonly string[]): Depth {
  let [definition, repetition] = [0, 0]
  let node = root
  for (const name of path) {
    const child = node.children.find(({ element }) => element.name === name)
    if (child === undefined) throw new Error('its schema does not have this column')
    const type = child.element.repetition_type
    if (type !== 'REQUIRED') definition += 1
    if (type === 'REPEATED') repetition += 1
    node = child
  }
  return { definition, repetition, isFlat: path.length === 1 && repetition === 0 }
}

const RLE_ENCODING = 3
/** Delta encodings, and how many sequences of packed numbers each has. */
const DELTA_SEQUENCES: Readonly<Record<number, number>> = { 5: 1, 6: 1, 7: 2 }

type Decompress = (page: Uint8Array, length: number) => Uint8Array

/** Throws if the library had better not read the pages of a column. */
export function checkPages(
  chunk: Uint8Array,
  column: ColumnMetaData,
  { depth, rows }: { readonly depth: Depth; readonly rows: number },
  compressors: Compressors,
): void {
  const decompress =
    column.codec === 'UNCOMPRESSED' ? (page: Uint8Array) => page : compressors[column.codec]
  if (decompress === undefined) throw new Error(`it is compressed with ${column.codec}`)
  const position = { at: 0 }
  let left = depth.isFlat ? rows : Number(column.num_values)
  // The same end as that of the library: the last page of a flat column, or of the chunk.
  while (position.at < chunk.length - 1 && (left > 0 || !depth.isFlat)) {
    const header = readPageHeader(chunk, position)
    const stored = cutPage(chunk, position, header, column)
    if (header.type === 'other') throw new Error('it has a page of an unknown kind')
    if (header.type === 'dictionary') continue
    left -= header.valueCount
    const hasOtherRows =
      depth.isFlat && header.type === 'data 2' && header.rowCount !== header.valueCount
    if (left < 0 || hasOtherRows) throw new Error('a page has too many values')
    checkDataPage(stored, header, column.type, depth, decompress)
  }
}

function checkDataPage(
  stored: Uint8Array,
  header: PageHeader,
  type: ColumnMetaData['type'],
  depth: Depth,
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
    const found = readLevels(levels, depth.definition, valueCount)
    if (!isSecond) {
      present = found.reduce((sum, level) => sum + (level === depth.definition ? 1 : 0), 0)
    }
  }
  if (encoding === RLE_ENCODING || DICTIONARY_ENCODINGS.includes(encoding)) {
    const isBare = isSecond ? encoding === RLE_ENCODING : type === 'BOOLEAN'
    const width = isBare ? 1 : (page[position.at] ?? 0)
    if (width > MAX_WIDTH) throw new Error(`a page has numbers of ${width} bits`)
    const numbers = isBare ? cutOut(page, position) : page.subarray(position.at + 1)
    const isRead = isSecond || width > 0
    if (isRead) readPackedNumbers(numbers, width, new Uint32Array(present), present)
  }
  const sequences = DELTA_SEQUENCES[encoding] ?? 0
  for (let sequence = 0; sequence < sequences; sequence += 1) skipDeltas(page, position, present)
}

function readLevels(bytes: Uint8Array, highest: number, count: number): Uint8Array {
  const levels = new Uint8Array(count)
  readPackedNumbers(bytes, 32 - Math.clz32(highest), levels, count)
  return levels
}

/** Blocks are some hundred values long. */
const MAX_BLOCK = 2 ** 24

/** Passes over numbers that are kept as differences, in blocks of packed blocks. */
function skipDeltas(page: Uint8Array, position: Position, count: number): void {
  const blockSize = readVarint(page, position)
  const miniblocks = readVarint(page, position)
  readVarint(page, position)
  readVarint(page, position)
  const size = blockSize / miniblocks
  if (!(blockSize > 0 && blockSize <= MAX_BLOCK && size > 0 && size % 8 === 0)) {
    throw new Error('a page has blocks of an impossible size')
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
