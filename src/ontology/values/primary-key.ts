/** Primary keys: their text in paths and records, and the sortable text that stores keep. */

import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import type { PrimaryKeyType } from '../definition/property-type.ts'
import { canonicalTimestamp, sortableTimestamp } from './read-time.ts'
import { refuse } from './refused-value.ts'
import { type ParsedScalar, scalarCodec } from './scalar-codec.ts'

/** The stored text defines the order of every walk that has no `orderBy`. */
export interface PrimaryKey {
  /** As in a path: `LAX`, `50030`, `2026-01-31`. */
  readonly text: string
  /** As stored; byte order is key order. */
  readonly pk: string
}

/** Parses a key from a JSON value or from the text of a path. */
export function readPrimaryKey(type: PrimaryKeyType, value: unknown): PrimaryKey {
  return primaryKeyOf(type, scalarCodec(type).parse(value))
}

/** Returns the key with a value that its codec has parsed. */
export function primaryKeyOf(type: PrimaryKeyType, value: ParsedScalar): PrimaryKey {
  const text = String(value)
  const pk = SORTABLE[type](text)
  if (pk === '') refuse('is empty; a primary key is part of paths and needs at least one character')
  if (Buffer.byteLength(pk) > PRIMARY_KEY_MAX_BYTES) {
    refuse(
      `is longer than ${PRIMARY_KEY_MAX_BYTES} bytes, the maximum for a primary key, which page tokens carry`,
    )
  }
  return { text, pk }
}

/** Returns the JSON value of a key. */
export function keyValue(type: PrimaryKeyType, text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true'
  // A double can be infinite, which JSON writes as text.
  const isNumber = NUMBER_TYPES.has(type) && Number.isFinite(Number(text))
  return isNumber ? Number(text) : text
}

const NUMBER_TYPES: ReadonlySet<PrimaryKeyType> = new Set(['byte', 'short', 'integer', 'double'])

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

/** Returns the text of a key as in a path, from the text that is stored. */
export function primaryKeyText(type: PrimaryKeyType, pk: string): string {
  switch (type) {
    case 'string':
    case 'date':
      return pk
    case 'boolean':
      return String(pk === '1')
    case 'timestamp':
      return canonicalTimestamp(pk)
    case 'double':
      return String(unsortableDouble(pk))
    default:
      return String(BigInt(`0x${pk}`) - 2n ** 63n)
  }
}

/** Adds 2^63, so that no number is negative, and writes sixteen hex digits. */
function sortableWhole(text: string): string {
  return hex(BigInt(text) + 2n ** 63n)
}

/** Flips bits of the IEEE 754 form so that unsigned order is numeric order. */
function sortableDouble(text: string): string {
  const number = Number(text)
  if (Number.isNaN(number)) refuse('is NaN, which cannot be a primary key')
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, number)
  const raw = bits.getBigUint64(0)
  return hex(number < 0 ? raw ^ 0xffff_ffff_ffff_ffffn : raw | SIGN_BIT)
}

function unsortableDouble(pk: string): number {
  const bits = BigInt(`0x${pk}`)
  const isPositive = bits >= SIGN_BIT
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, isPositive ? bits ^ SIGN_BIT : bits ^ 0xffff_ffff_ffff_ffffn)
  return view.getFloat64(0)
}

const SIGN_BIT = 0x8000_0000_0000_0000n

function hex(number: bigint): string {
  return number.toString(16).padStart(16, '0')
}
