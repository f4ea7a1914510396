/** The pages of a Parquet column: their headers, and the numbers packed in them. */

export interface PageHeader {
  readonly type: 'data' | 'data 2' | 'dictionary' | 'other'
  readonly bytes: number
  readonly compressedBytes: number
  readonly valueCount: number
  readonly encoding: number
  /** Of a page of the second kind, whose levels stand before what is compressed. */
  readonly levelBytes: number
  readonly isCompressed: boolean
}

export const PLAIN_ENCODINGS = [0, 2]
export const DICTIONARY_ENCODINGS = [2, 8]

/** Where something is read, and how far. */
export interface Position {
  at: number
}

const PAGE_TYPES = ['data', 'other', 'dictionary', 'data 2'] as const

/** Reads a header and goes on to what follows it. */
export function readPageHeader(bytes: Uint8Array, position: Position): PageHeader {
  const fields = readStruct(bytes, position)
  const type = PAGE_TYPES[numberIn(fields, 1)] ?? 'other'
  const inner = fields.get(type === 'data' ? 5 : type === 'dictionary' ? 7 : 8)
  const own: ThriftStruct = inner instanceof Map ? inner : new Map()
  const isSecond = type === 'data 2'
  return {
    type,
    bytes: numberIn(fields, 2),
    compressedBytes: numberIn(fields, 3),
    valueCount: numberIn(own, 1),
    encoding: numberIn(own, isSecond ? 4 : 2),
    levelBytes: isSecond ? numberIn(own, 5) : 0,
    isCompressed: !isSecond || own.get(7) !== false,
  }
}

/** Runs and packed numbers of a few bits each, up to the number that is asked for. */
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
    if ((header & 1) === 0) {
      let value = 0
      for (let shift = 0; shift < width; shift += 8) value |= nextByte(bytes, position) << shift
      const end = Math.min(count, done + (header >>> 1))
      numbers.fill(value, done, end)
      if (end === done) throw new Error('it holds an empty run')
      done = end
    } else {
      const end = Math.min(count, done + (header >>> 1) * 8)
      const byteCount = (header >>> 1) * width
      unpack(bytes, position.at, width, numbers, done, end)
      position.at += byteCount
      if (end === done) throw new Error('it holds an empty run')
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

function numberIn(fields: ThriftStruct, id: number): number {
  const value = fields.get(id)
  return typeof value === 'number' ? value : 0
}

/** The compact protocol of Thrift, as far as headers use it. */
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
    case 6:
      return zigzag(readVarint(bytes, position))
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
      throw new Error('a page has an unknown header')
  }
}

function nextByte(bytes: Uint8Array, position: Position): number {
  const byte = bytes[position.at]
  if (byte === undefined) throw new Error('a page ends before its values do')
  position.at += 1
  return byte
}

function readVarint(bytes: Uint8Array, position: Position): number {
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
