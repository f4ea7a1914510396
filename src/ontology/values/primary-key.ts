import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import type { PrimaryKeyType } from '../definition/property-type.ts'
import { sortableTimestamp } from './read-time.ts'
import { scalarReader } from './read-value.ts'
import { refuse } from './refused-value.ts'

/**
 * A primary key in its two texts: the one that people see in paths and records, and the one that
 * is stored and sorts, byte by byte, as the key does. The second is the order of every listing
 * that asks for no other order.
 */
export interface PrimaryKey {
  /** As in a path: `LAX`, `50030`, `2026-01-31`. */
  readonly text: string
  /** As stored; byte order is key order. */
  readonly pk: string
}

/** Reads a key from a JSON value or from the text of a path. */
export function readPrimaryKey(type: PrimaryKeyType, value: unknown): PrimaryKey {
  const json = scalarReader(type)(value)
  const text: string = json.startsWith('"') ? JSON.parse(json) : json
  const pk = SORTABLE[type](text)
  if (pk === '') refuse('is empty, and a primary key stands in paths')
  if (Buffer.byteLength(pk) > PRIMARY_KEY_MAX_BYTES) {
    refuse(
      `is longer than ${PRIMARY_KEY_MAX_BYTES} bytes, and a primary key travels in page tokens`,
    )
  }
  return { text, pk }
}

const SORTABLE: Readonly<Record<PrimaryKeyType, (text: string) => string>> = {
  // UTF-8 sorts by code point.
  string: (text) => text,
  boolean: (text) => (text === 'true' ? '1' : '0'),
  byte: sortableWhole,
  short: sortableWhole,
  integer: sortableWhole,
  long: sortableWhole,
  double: sortableDouble,
  date: (text) => text,
  timestamp: sortableTimestamp,
}

/** Sixteen hex digits of the number moved up by 2^63, so that none is negative. */
function sortableWhole(text: string): string {
  return hex(BigInt(text) + 2n ** 63n)
}

/** The bits of the double, turned so that they sort as the numbers do. */
function sortableDouble(text: string): string {
  const number = Number(text)
  if (Number.isNaN(number)) refuse('is NaN, which identifies nothing')
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, number)
  const raw = bits.getBigUint64(0)
  return hex(number < 0 ? raw ^ 0xffff_ffff_ffff_ffffn : raw | 0x8000_0000_0000_0000n)
}

function hex(number: bigint): string {
  return number.toString(16).padStart(16, '0')
}
