import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import { utf8Length } from '../../formats/utf8.ts'
import { scalarReader } from '../../ontology/values/read-value.ts'
import { wordsOf } from '../columns/column-names.ts'
import { isoTimestamp } from '../columns/date-format.ts'
import { KeyHashes } from './key-hashes.ts'

/**
 * Finds the columns that have a different value in every row. Only hashes of the values
 * are kept, so that in rare cases a unique column is excluded.
 */
export interface KeyCandidates {
  /** Adds a column; called before the first row that has it is added. */
  start(column: string): void
  /** Adds the value of a column in the current row; returns false for one that cannot be a key. */
  add(column: string, value: unknown): boolean
  /** Ends a row. */
  endRow(): void
  /** Returns the columns with a different value in every row, the most likely key first. */
  ranked(): string[]
  /** Returns the columns that lack few values to be a key, or repeat few, the most likely key first. */
  nearKeys(): NearKey[]
}

/** A column that would be a key without some rows. */
export interface NearKey {
  readonly column: string
  /** The number of different values. */
  readonly distinct: number
  /** The number of rows in which they were counted. */
  readonly rows: number
  /** A value that two rows have; undefined if some rows have none. */
  readonly repeated: string | undefined
}

/** The number of rows that are checked; later rows are assumed to be unique. */
export const KEY_ROWS_CHECKED = 1_000_000

/** The maximum number of candidates from a row on, which bounds the memory. */
const MAX_CANDIDATES: ReadonlyMap<number, number> = new Map([
  [1, 100],
  [1_000, 16],
  [20_000, 4],
])

/** The rows of a near key that repeat a value or lack one: a few, and one of so many. */
const FLAWS_MAX = 3
const ROWS_PER_FLAW = 100

interface Candidate {
  hashes: KeyHashes
  /** The lower, the more the name resembles a key. */
  readonly rank: number
  /** The number of rows with a value. */
  rows: number
  /** The number of different values in the rows that are checked. */
  distinct: number
  repeated: string | undefined
}

export function keyCandidates(
  /** Whether columns that are almost keys are not wanted. */
  isStrict = false,
): KeyCandidates {
  const candidates = new Map<string, Candidate>()
  let rows = 0

  const checkedRows = () => Math.min(rows, KEY_ROWS_CHECKED)
  const isKey = ({ distinct, rows: filled }: Candidate) =>
    filled === rows && distinct === checkedRows()
  const isLost = ({ distinct, rows: filled }: Candidate) => {
    const flaws = Math.max(checkedRows() - distinct, rows - filled)
    return flaws > (isStrict ? 0 : FLAWS_MAX + rows / ROWS_PER_FLAW)
  }
  // The sort is stable, so equal ranks keep the order of the columns.
  const sorted = () =>
    [...candidates].toSorted(
      ([, a], [, b]) => Number(isKey(b)) - Number(isKey(a)) || a.rank - b.rank,
    )
  const keepBest = (count: number) => {
    for (const [column] of sorted().slice(count)) candidates.delete(column)
  }

  return {
    start(column) {
      // A column that first appears later has no value in the first row.
      if (rows > 0 || (isStrict && isNeverKey(column))) return
      candidates.set(column, { hashes: new KeyHashes(), rank: nameRank(column), ...NOTHING_READ })
    },
    add(column, value) {
      const candidate = candidates.get(column)
      if (candidate === undefined) return false
      candidate.rows += 1
      const text = keyText(value)
      if (text === undefined) return !candidates.delete(column)
      if (rows < KEY_ROWS_CHECKED) {
        if (candidate.hashes.add(text)) candidate.distinct += 1
        else candidate.repeated ??= text
      }
      return true
    },
    endRow() {
      rows += 1
      for (const [column, candidate] of candidates) {
        if (isLost(candidate)) candidates.delete(column)
        if (rows === KEY_ROWS_CHECKED) candidate.hashes = new KeyHashes()
      }
      const most = MAX_CANDIDATES.get(rows)
      if (most !== undefined) keepBest(most)
    },
    ranked: () => sorted().flatMap(([column, candidate]) => (isKey(candidate) ? [column] : [])),
    nearKeys: () =>
      sorted().flatMap(([column, candidate]) => {
        const { distinct, repeated } = candidate
        return isKey(candidate) ? [] : [{ column, distinct, rows: checkedRows(), repeated }]
      }),
  }
}

const NOTHING_READ = { rows: 0, distinct: 0, repeated: undefined } as const

/** Returns the text of a value as a key; equal timestamps have the same text. */
function keyText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  if (value.length > PRIMARY_KEY_MAX_BYTES / 4 && utf8Length(value) > PRIMARY_KEY_MAX_BYTES) {
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

/** Returns whether the name of a column suggests an identifier. */
function hasKeyName(column: string): boolean {
  return nameRank(column) < NAMES.length + ENDINGS.length
}

/** Names of things that are called by it; in most such files, no two have the same. */
const TITLES = ['name', 'title', 'label', 'displayname', 'fullname']

/** Parts of the name of a person, and free texts: that they differ is a coincidence. */
const NO_KEYS = new RegExp(
  [
    '^(?:first|given|fore|middle|second|last|family|maiden|nick|sur)name$',
    '^[fl]name$',
    '^(?:vor|nach)name$',
    '^(?:comment|note|remark|description|message|text|summary|abstract|review|address|street)s?$',
  ].join('|'),
)

/** Returns whether the name of a column says that different values in it mean nothing. */
export function isNeverKey(column: string): boolean {
  return NO_KEYS.test(wordsOf(column).join('').toLowerCase())
}

/**
 * Returns whether different values in a column mean that it identifies the rows. Many columns have
 * them by chance in a small file, except the first one and those whose name suggests it.
 */
export function identifiesRows(
  column: string,
  { isFirst, isNumber }: { readonly isFirst: boolean; readonly isNumber: boolean },
): boolean {
  const name = wordsOf(column).join('').toLowerCase()
  if (isNeverKey(column)) return false
  return isFirst || hasKeyName(column) || (!isNumber && TITLES.includes(name))
}

/** Ranks a name: the lower, the more it resembles a key. */
function nameRank(column: string): number {
  // They never displace a column that could be a key.
  if (isNeverKey(column)) return NAMES.length + ENDINGS.length + 1
  const words = wordsOf(column).map((word) => word.toLowerCase())
  const whole = NAMES.findIndex((names) => names.includes(words.join('')))
  if (whole !== -1) return whole
  const end = ENDINGS.findIndex((endings) => endings.includes(words.at(-1) ?? ''))
  return NAMES.length + (end === -1 ? ENDINGS.length : end)
}
