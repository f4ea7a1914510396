/**
 * Parses page headers and the RLE/bit-packing hybrid with bounds checks, which hyparquet's internal
 * counterparts do not have.
 */

import type { ColumnMetaData } from 'hyparquet'

export interface PageHeader {
  readonly type: 'data' | 'data 2' | 'dictionary' | 'other'
  readonly bytes: number
  readonly compressedBytes: number
  readonly valueCount: number
  readonly encoding: number
  /** Only in data pages of version 2, whose levels precede the compressed part. */
  readonly levelBytes: number
  readonly repetitionBytes: number
  readonly nullCount: number
  readonly rowCount: number
  readonly isCompressed: boolean
}

export const DICTIONARY_ENCODINGS = [2, 8]

/** Arrays with more values are many times slower, and no known writer produces such pages. */
const MAX_VALUES = 2 ** 25
const MAX_BYTES = 2 ** 30
/** Pages up to this size are accepted without comparing them with the size of the column. */
const COMMON_BYTES = 2 ** 26
/** The maximum bit width: dictionaries have fewer than 2^24 entries. */
export const MAX_WIDTH = 24

/** A read position, advanced by the functions that take it. */
export interface Position {
  at: number
}

const PAGE_TYPES = ['data', 'other', 'dictionary', 'data 2'] as const

/** Parses a page header and advances to the page. */
export function readPageHeader(bytes: Uint8Array, position: Position): PageHeader {
  const fields = readStruct(bytes, position)
  const type = PAGE_TYPES[numberIn(fields, 1, MAX_VALUES)] ?? 'other'
  const inner = fields.get(type === 'data' ? 5 : type === 'dictionary' ? 7 : 8)
  const own: ThriftStruct = inner instanceof Map ? inner : new Map()
  const isSecond = type === 'data 2'
  const valueCount = type === 'other' ? 0 : numberIn(own, 1, MAX_VALUES)
  return {
    type,
    bytes: numberIn(fields, 2, MAX_BYTES),
    compressedBytes: numberIn(fields, 3, MAX_BYTES),
    valueCount,
    encoding: type === 'other' ? 0 : numberIn(own, isSecond ? 4 : 2, MAX_VALUES),
    levelBytes: isSecond ? numberIn(own, 5, MAX_BYTES) : 0,
    repetitionBytes: isSecond ? numberIn(own, 6, MAX_BYTES) : 0,
    nullCount: isSecond ? numberIn(own, 2, valueCount) : 0,
    rowCount: isSecond ? numberIn(own, 3, valueCount) : 0,
    isCompressed: !isSecond || own.get(7) !== false,
  }
}

/** Returns the bytes of a page and advances to the next header. */
export function cutPage(
  chunk: Uint8Array,
  position: Position,
  header: PageHeader,
  { total_uncompressed_size }: ColumnMetaData,
): Uint8Array {
  const start = position.at
  if (header.bytes > Math.max(COMMON_BYTES, Number(total_uncompressed_size))) {
    throw new Error('a page claims to be larger than its column')
  }
  position.at += header.compressedBytes
  if (position.at > chunk.length) throw new Error('a page ends outside its column')
  return chunk.subarray(start, position.at)
}

/** Returns bytes that are prefixed with their length. */
export function cutOut(page: Uint8Array, position: Position): Uint8Array {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const length = view.getUint32(position.at, true)
  const start = position.at + 4
  position.at = start + length
  return page.subarray(start, position.at)
}

/** Decodes `count` numbers of the RLE/bit-packing hybrid. */
export function readPackedNumbers(
  bytes: Uint8Array,
  width: number,
  numbers: Uint8Array | Uint32Array,
  count: number,
): void {
  const position = { at: 0 }
  let done = 0
  while (done < count) {
    const header = readVarint(bytes, position)
    const left = count - done
    if ((header & 1) === 0) {
      if (header >>> 1 > left) throw new Error('a run is longer than its page')
      let value = 0
      for (let shift = 0; shift < width; shift += 8) value |= nextByte(bytes, position) << shift
      const end = Math.min(count, done + (header >>> 1))
      numbers.fill(value, done, end)
      if (end === done) throw new Error('a page contains an empty run')
      done = end
    } else {
      const end = Math.min(count, done + (header >>> 1) * 8)
      const byteCount = (header >>> 1) * width
      // Width 0 takes no bytes, so the end of the page does not limit the run.
      if (width === 0 && (header >>> 1) * 8 >= left + 8) {
        throw new Error('a run is longer than its page')
      }
      unpack(bytes, position.at, width, numbers, done, end)
      position.at += byteCount
      if (end === done) throw new Error('a page contains an empty run')
      done = end
    }
  }
}

function unpack(
  bytes: Uint8Array,
  from: number,
  width: number,
  numbers: Uint8Array | Uint32Array,
  start: number,
  end: number,
): void {
  const mask = 2 ** width - 1
  let at = from
  let buffer = 0
  let bits = 0
  for (let index = start; index < end; index += 1) {
    while (bits < width) {
      if (at >= bytes.length) throw new Error('a page ends before its values do')
      buffer |= (bytes[at] as number) << bits
      at += 1
      bits += 8
    }
    numbers[index] = buffer & mask
    buffer >>>= width
    bits -= width
  }
}

type ThriftStruct = Map<number, unknown>

function numberIn(fields: ThriftStruct, id: number, most: number): number {
  const value = fields.get(id)
  if (typeof value !== 'number') throw new Error('a page header is incomplete')
  if (value >= 0 && value <= most) return value
  throw new Error(`a page header contains ${value}, where the maximum is ${most}`)
}

/** Parses the subset of the Thrift compact protocol that page headers use. */
function readStruct(bytes: Uint8Array, position: Position): ThriftStruct {
  const fields: ThriftStruct = new Map()
  let id = 0
  for (let head = nextByte(bytes, position); head !== 0; head = nextByte(bytes, position)) {
    id = head >> 4 === 0 ? zigzag(readVarint(bytes, position)) : id + (head >> 4)
    fields.set(id, readField(bytes, position, head & 15))
  }
  return fields
}

function readField(bytes: Uint8Array, position: Position, code: number): unknown {
  switch (code) {
    case 1:
    case 2:
      return code === 1
    case 3:
      return nextByte(bytes, position)
    case 4:
    case 5:
      return zigzag(readVarint(bytes, position))
    case 6:
      // No field that is used here has 64 bits.
      readVarint(bytes, position)
      return undefined
    case 7:
      position.at += 8
      return undefined
    case 8: {
      const length = readVarint(bytes, position)
      position.at += length
      return undefined
    }
    case 12:
      return readStruct(bytes, position)
    default:
      throw new Error('a page header has an unknown field type')
  }
}

function nextByte(bytes: Uint8Array, position: Position): number {
  const byte = bytes[position.at]
  if (byte === undefined) throw new Error('a page ends before its values do')
  position.at += 1
  return byte
}

export function readVarint(bytes: Uint8Array, position: Position): number {
  let value = 0
  let factor = 1
  for (;;) {
    const byte = nextByte(bytes, position)
    value += (byte & 0x7f) * factor
    if (byte < 0x80) return value
    factor *= 128
  }
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}
