/** Adds a value to what is known about its column. */
import { type CellKind, excerptOf } from '../../formats/row.ts'
import { exceedsDouble } from '../columns/read-cell.ts'
import { NULL_TEXTS } from '../columns/text-style.ts'
import { plainTraits, TRAIT, traitsOf } from './classify.ts'
import type { ColumnGuess } from './findings.ts'
import { isSettled, learn, scalarTypeOf } from './value-guess.ts'

const NULL_LENGTH = Math.max(...[...NULL_TEXTS].map(({ length }) => length))

export function addValue(column: ColumnGuess, value: unknown, kind: CellKind, line: number): void {
  const { guess, styles } = column
  if (kind === 'text' && typeof value === 'string' && isKnownForm(column, value)) return
  if (typeof value === 'string' && value.length <= NULL_LENGTH && NULL_TEXTS.has(value)) {
    column.nulls.add(value)
    // Only text files have no other way to write a missing text.
    if (kind === 'text' && value !== 'None') column.nullsInText.add(value)
    return
  }
  column.hasShortCodes ||= typeof value === 'string' && value.length === 2 && CODE.test(value)
  const mayHaveStyle = column.declared === undefined
  if (!isSettled(guess)) {
    const before = guess.traits
    const traits = learn(guess, value, kind)
    if (typeof value !== 'string') styles.exclude()
    else if (mayHaveStyle && !styles.isSettled) styles.add(value, traits, kind)
    if (guess.traits !== before && scalarTypeOf(guess.traits) === 'string') {
      // A single value that rules out a narrower type is reported to the user.
      const otherwise = scalarTypeOf(before)
      if (otherwise !== 'string') column.outlier = { line, excerpt: excerptOf(value), otherwise }
    }
    if (typeof value === 'number' || (guess.traits & NUMBERS) !== 0) measure(column, value)
  } else if (typeof value !== 'string') styles.exclude()
  else if (mayHaveStyle && !styles.isSettled) styles.add(value, traitsOf(value, kind), kind)
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    column.unstorable += 1
  }
}

/**
 * A fast path for most values of most columns: a number, time or boolean in its plain form, of which
 * the column has had others, so that it adds nothing but its magnitude.
 */
function isKnownForm(column: ColumnGuess, text: string): boolean {
  const { guess, styles } = column
  if (isSettled(guess)) return false
  const traits = plainTraits(text)
  if ((guess.traits & traits) === 0 || !styles.isStable(traits)) return false
  if ((traits & NUMBERS) !== 0) {
    const distance = Math.abs(Number(text))
    if (distance > column.maxMagnitude) column.maxMagnitude = distance
  }
  return true
}

/** Codes of countries, continents and states: `NA` is Namibia or North America among them. */
const CODE = /^[A-Z]{2}$/

const NUMBERS =
  TRAIT.integer |
  TRAIT.long |
  TRAIT.wide |
  TRAIT.fraction |
  TRAIT.scaled |
  TRAIT.floating |
  TRAIT.notFinite |
  TRAIT.decimal

function measure(column: ColumnGuess, value: unknown): void {
  const distance = Math.abs(Number(value))
  // NaN is not a coordinate either.
  if (!(distance <= column.maxMagnitude))
    column.maxMagnitude = Number.isNaN(distance) ? Infinity : distance
  if (distance <= Number.MAX_SAFE_INTEGER) return
  if (typeof value !== 'number') column.exceedsDouble ||= exceedsDouble(String(value).trim())
  else if (Number.isInteger(value)) column.hasUnsafeIntegers = true
}
