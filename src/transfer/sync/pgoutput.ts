/**
 * Decodes the messages of pgoutput, the logical decoding plugin of PostgreSQL, in version 1 of its
 * protocol. Values stay texts as the server wrote them, because the parsers of `pg` lose digits.
 */

/** The text of a value, null, or undefined for a large value that did not change and is not sent. */
export type SourceValue = string | null | undefined
export type SourceRow = readonly SourceValue[]

/** A table as of the transaction whose changes follow. */
export interface Relation {
  /** The OID of the table. */
  readonly id: number
  readonly schema: string
  readonly name: string
  /** Whether the replica identity is full: all columns. */
  readonly isFull: boolean
  readonly columns: readonly RelationColumn[]
}

interface RelationColumn {
  readonly name: string
  readonly typeOid: number
  /** Whether it is part of the replica identity, which updates and deletes name old rows by. */
  readonly isKey: boolean
}

export type PgoutputMessage =
  /** `commitLsn` is the position of the commit record of the transaction. */
  | { readonly kind: 'begin'; readonly commitLsn: bigint }
  /** `endLsn` is the position behind the transaction. */
  | { readonly kind: 'commit'; readonly endLsn: bigint; readonly atMs: number }
  | { readonly kind: 'relation'; readonly relation: Relation }
  | { readonly kind: 'put'; readonly id: number; readonly old?: SourceRow; readonly row: SourceRow }
  | { readonly kind: 'delete'; readonly id: number; readonly old: SourceRow }
  | { readonly kind: 'truncate'; readonly ids: readonly number[] }
  /** A message that says nothing about rows: a type, an origin, or a message of an application. */
  | { readonly kind: 'other' }

const LSN_BYTES = 8

/** Microseconds from 1970 to 2000, where the clock of the protocol starts. */
const EPOCH_2000 = 946_684_800_000_000n

function toEpochMs(micros: bigint): number {
  return Number((micros + EPOCH_2000) / 1000n)
}

export function fromEpochMs(ms: number): bigint {
  return BigInt(ms) * 1000n - EPOCH_2000
}

export function decodePgoutput(bytes: Buffer): PgoutputMessage {
  const reader = new Reader(bytes)
  const kind = reader.char()
  switch (kind) {
    case 'B':
      return { kind: 'begin', commitLsn: reader.uint64() }
    case 'C':
      // The flags and the LSN of the commit record come first.
      reader.skip(1 + LSN_BYTES)
      return { kind: 'commit', endLsn: reader.uint64(), atMs: toEpochMs(reader.uint64()) }
    case 'R':
      return { kind: 'relation', relation: readRelation(reader) }
    case 'I': {
      const id = reader.uint32()
      reader.skip(1)
      return { kind: 'put', id, row: readRow(reader) }
    }
    case 'U': {
      const id = reader.uint32()
      // The old row, or its key, comes first if the key changed or the replica identity is full.
      if (reader.char() === 'N') return { kind: 'put', id, row: readRow(reader) }
      const old = readRow(reader)
      reader.skip(1)
      const row = readRow(reader)
      return { kind: 'put', id, old, row: row.map((value, at) => fallback(value, old[at])) }
    }
    case 'D': {
      const id = reader.uint32()
      reader.skip(1)
      return { kind: 'delete', id, old: readRow(reader) }
    }
    case 'T': {
      const count = reader.uint32()
      reader.skip(1)
      return { kind: 'truncate', ids: Array.from({ length: count }, () => reader.uint32()) }
    }
    case 'Y':
    case 'O':
    case 'M':
      return { kind: 'other' }
    default:
      throw new Error(`The source sent the unknown replication message "${kind}".`)
  }
}

/** A full old row has the large values that the new one omits; in a key, other columns are null. */
function fallback(value: SourceValue, old: SourceValue): SourceValue {
  return value === undefined && typeof old === 'string' ? old : value
}

function readRelation(reader: Reader): Relation {
  const id = reader.uint32()
  const schema = reader.text()
  const name = reader.text()
  const isFull = reader.char() === 'f'
  const columns = Array.from({ length: reader.uint16() }, () => {
    const isKey = reader.char() === '\x01'
    const column = { name: reader.text(), typeOid: reader.uint32(), isKey }
    reader.skip(4)
    return column
  })
  return { id, schema, name, isFull, columns }
}

function readRow(reader: Reader): SourceRow {
  return Array.from({ length: reader.uint16() }, () => {
    const kind = reader.char()
    if (kind === 'n') return null
    if (kind === 'u') return undefined
    return reader.sizedText()
  })
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  skip(bytes: number): void {
    this.#at += bytes
  }

  char(): string {
    return String.fromCharCode(this.#bytes.readUInt8(this.#at++))
  }

  uint16(): number {
    const value = this.#bytes.readUInt16BE(this.#at)
    this.#at += 2
    return value
  }

  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  uint64(): bigint {
    const value = this.#bytes.readBigUInt64BE(this.#at)
    this.#at += 8
    return value
  }

  /** Reads a text that ends with a zero byte. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    const text = this.#bytes.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  sizedText(): string {
    const size = this.uint32()
    const text = this.#bytes.toString('utf8', this.#at, this.#at + size)
    this.#at += size
    return text
  }
}
