/** Encodes values in the Thrift compact protocol, which Parquet uses for its metadata. */

export interface ThriftValue {
  /** The type code; in a field, true and false have separate codes. */
  readonly code: number
  readonly bytes: Buffer
}

export interface ThriftField {
  readonly id: number
  readonly value: ThriftValue
}

const CODES = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const

export function field(id: number, value: ThriftValue): ThriftField {
  return { id, value }
}

export function bool(value: boolean): ThriftValue {
  return { code: value ? 1 : 2, bytes: Buffer.alloc(0) }
}

export function i32(value: number): ThriftValue {
  return { code: CODES.i32, bytes: varint(zigzag(BigInt(value))) }
}

export function i64(value: bigint): ThriftValue {
  return { code: CODES.i64, bytes: varint(zigzag(value)) }
}

export function binary(value: string): ThriftValue {
  const bytes = Buffer.from(value)
  return { code: CODES.binary, bytes: Buffer.concat([varint(BigInt(bytes.length)), bytes]) }
}

export function list(of: keyof typeof CODES, items: readonly ThriftValue[]): ThriftValue {
  const head =
    items.length < 15
      ? Buffer.from([(items.length << 4) | CODES[of]])
      : Buffer.concat([Buffer.from([0xf0 | CODES[of]]), varint(BigInt(items.length))])
  return { code: CODES.list, bytes: Buffer.concat([head, ...items.map(({ bytes }) => bytes)]) }
}

/** Encodes a struct; its fields must be in ascending order of their ids. */
export function struct(fields: readonly ThriftField[]): ThriftValue {
  let last = 0
  const parts = fields.flatMap(({ id, value }) => {
    const head = Buffer.from([((id - last) << 4) | value.code])
    last = id
    return [head, value.bytes]
  })
  return { code: CODES.struct, bytes: Buffer.concat([...parts, Buffer.from([0])]) }
}

function zigzag(value: bigint): bigint {
  return value >= 0n ? value << 1n : ((-value - 1n) << 1n) | 1n
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}
