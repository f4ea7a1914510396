import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import { scalarReader } from '../../ontology/values/read-value.ts'
import { wordsOf } from '../import/column-names.ts'
import { isoTimestamp } from '../import/iso-timestamp.ts'
import { NumberSet } from './number-set.ts'

/**
 * Finds the columns whose values are all there and all different. A value is remembered by a number
 * of 53 bits, so one column in ten thousand is wrongly taken for one with repeats.
 */
export interface KeyCandidates {
  /** Considers a column; all are known before the first row that has them is counted. */
  start(column: string): void
  /** Takes the value of a column in the present row. */
  see(column: string, value: unknown): void
  /** Ends a row: columns that it did not have are out. */
  endRow(): void
  /** The columns that are left, the likeliest first. */
  ranked(): string[]
}

/** Beyond so many rows a column is trusted. */
export const KEY_ROWS_CHECKED = 1_000_000

/** How many columns are followed from which row on: memory stays flat whatever the file. */
const FOLLOWED: readonly (readonly [row: number, columns: number])[] = [
  [1, 100],
  [1_000, 16],
  [20_000, 4],
]

interface Candidate {
  readonly seen: NumberSet
  /** How little the name sounds like a key. */
  readonly rank: number
  rows: number
}

export function keyCandidates(): KeyCandidates {
  const candidates = new Map<string, Candidate>()
  let rows = 0

  // Sorting keeps the order of equals, which is that of the columns.
  const ranked = () =>
    [...candidates].toSorted(([, a], [, b]) => a.rank - b.rank).map(([column]) => column)
  const keepBest = (count: number) => {
    for (const column of ranked().slice(count)) candidates.delete(column)
  }

  return {
    start(column) {
      // A column that was not there in the first row is empty there.
      if (rows > 0) return
      candidates.set(column, { seen: new NumberSet(), rank: nameRank(column), rows: 0 })
    },
    see(column, value) {
      const candidate = candidates.get(column)
      if (candidate === undefined) return
      candidate.rows += 1
      const text = keyText(value)
      if (text === undefined) candidates.delete(column)
      else if (rows < KEY_ROWS_CHECKED && !candidate.seen.add(hashOf(text))) {
        candidates.delete(column)
      }
    },
    endRow() {
      rows += 1
      for (const [column, candidate] of candidates) {
        if (candidate.rows < rows) candidates.delete(column)
        if (rows === KEY_ROWS_CHECKED) candidate.seen.clear()
      }
      for (const [row, count] of FOLLOWED) if (rows === row) keepBest(count)
    },
    ranked,
  }
}

/** What a value is as a key; two spellings of one time are one key. */
function keyText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  if (
    value.length > PRIMARY_KEY_MAX_BYTES / 4 &&
    Buffer.byteLength(value) > PRIMARY_KEY_MAX_BYTES
  ) {
    return undefined
  }
  const text = value.trim()
  const timestamp = text.charCodeAt(4) === 0x2d ? isoTimestamp(text) : undefined
  return timestamp === undefined ? text : canonicalTime(timestamp)
}

const readTimestamp = scalarReader('timestamp')

function canonicalTime(timestamp: string): string {
  try {
    return readTimestamp(timestamp)
  } catch {
    return timestamp
  }
}

const NAMES = [['id'], ['uuid', 'guid', 'key', 'pk'], ['code', 'iata', 'icao', 'isbn', 'sku']]
const ENDINGS = [['id'], ['uuid', 'guid', 'key'], ['code', 'number', 'no']]

/** Whether the name says that a column identifies something. */
export function soundsLikeKey(column: string): boolean {
  return nameRank(column) < NAMES.length + ENDINGS.length
}

/** How much a name sounds like a key: the smaller the more. */
function nameRank(column: string): number {
  const words = wordsOf(column).map((word) => word.toLowerCase())
  const whole = NAMES.findIndex((names) => names.includes(words.join('')))
  if (whole !== -1) return whole
  const end = ENDINGS.findIndex((endings) => endings.includes(words.at(-1) ?? ''))
  return NAMES.length + (end === -1 ? ENDINGS.length : end)
}

/** 53 bits of a text, spread evenly: two 32-bit multiplicative hashes side by side. */
function hashOf(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x9e3779b1)
    low = Math.imul(low ^ code, 0x5f356495)
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}
