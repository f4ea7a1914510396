/**
 * Finds out how the texts of a column are written if they are not plain: numbers with a decimal
 * comma or with grouped digits, and dates in other orders than ISO 8601.
 */
import type { CellKind } from '../../formats/row.ts'
import type { DateFormat } from '../columns/date-format.ts'
import {
  currencySign,
  KNOWN_DATE_FORMATS,
  readDecimalComma,
  readGrouped,
} from '../columns/text-style.ts'
import { hasOnly, TRAIT, traitsOf } from './classify.ts'

const WHOLE = TRAIT.integer | TRAIT.long | TRAIT.wide
const NUMBER = WHOLE | TRAIT.fraction | TRAIT.scaled | TRAIT.floating | TRAIT.decimal
/** Only a text with one of these first characters can be a number or a date with digits. */
const STARTS_NUMBER = /^[+-]?\s*(?:\p{Sc}\s*[+-]?)?\d/u

/** The traits of all values under one reading; undefined once a value cannot be read so. */
interface Reading {
  traits: number | undefined
  /** Values that are read differently than plain. */
  evidence: number
}

export class StyleGuess {
  readonly comma: Reading = { traits: 0, evidence: 0 }
  readonly grouped: Reading = { traits: 0, evidence: 0 }
  #dates: readonly DateFormat[] = KNOWN_DATE_FORMATS
  hasTimes = false
  /** The currency signs of its numbers. */
  readonly currencies = new Set<string>()
  #hasTexts = false

  /** The formats that fit every value; none if nothing else is known about the column. */
  get dates(): readonly DateFormat[] {
    return this.#hasTexts ? this.#dates : []
  }

  /** Takes a value that is not a text, which no style can fit. */
  exclude(): void {
    this.comma.traits = undefined
    this.grouped.traits = undefined
    this.#dates = []
  }

  /** Whether no style can fit all values any more, so that further values change nothing. */
  get isSettled(): boolean {
    return (
      this.comma.traits === undefined &&
      this.grouped.traits === undefined &&
      this.#dates.length === 0
    )
  }

  /** Returns whether a further plain value changes nothing; see `plainTraits` for its traits. */
  isStable(traits: number): boolean {
    if (this.isSettled) return true
    const isSame = (reading: Reading) => ((reading.traits ?? traits) & traits) !== 0
    // A number with a point can rule out, or be, one with grouped digits.
    const isCommaSame =
      traits === TRAIT.integer ? isSame(this.comma) : this.comma.traits === undefined
    return this.#dates.length === 0 && isCommaSame && isSame(this.grouped)
  }

  /** Adds a text; `plain` are its traits without any style. Only text files have other numbers. */
  add(text: string, plain: number, kind: CellKind): void {
    this.#hasTexts = true
    if (kind !== 'text') {
      this.comma.traits = undefined
      this.grouped.traits = undefined
    }
    if (hasOnly(plain, WHOLE)) {
      this.#dates = []
      this.#addTraits(this.comma, plain, false)
      this.#addTraits(this.grouped, plain, false)
      return
    }
    const value = text.trim()
    this.#addDate(value)
    if (!STARTS_NUMBER.test(value)) {
      this.comma.traits = undefined
      this.grouped.traits = undefined
      return
    }
    const sign = currencySign(value)
    if (sign !== undefined && this.currencies.size < MAX_CURRENCIES) this.currencies.add(sign)
    this.#addNumber(this.comma, readDecimalComma(value), value.includes(','))
    if (hasOnly(plain, NUMBER)) this.#addTraits(this.grouped, plain, false)
    else this.#addNumber(this.grouped, readGrouped(value), true)
  }

  #addDate(value: string): void {
    if (this.#dates.length === 0) return
    const fitting = this.#dates.filter(({ read }) => read(value) !== undefined)
    this.#dates = fitting
    this.hasTimes ||= (fitting[0]?.read(value)?.length ?? 0) > DATE_LENGTH
  }

  #addNumber(reading: Reading, number: string | undefined, isEvidence: boolean): void {
    if (reading.traits === undefined) return
    if (number === undefined) reading.traits = undefined
    else this.#addTraits(reading, traitsOf(number, 'text'), isEvidence)
  }

  #addTraits(reading: Reading, traits: number, isEvidence: boolean): void {
    if (reading.traits === undefined) return
    reading.traits = hasOnly(traits, NUMBER) ? reading.traits | traits : undefined
    if (isEvidence) reading.evidence += 1
  }
}

/** The signs that a note lists. */
const MAX_CURRENCIES = 5
const DATE_LENGTH = '2024-02-29'.length
