/** The smallest and largest values of groups. */

import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { type Bits, hasBit } from '../arrays/bits.ts'
import type { CodeColumn, Column } from '../segment/column.ts'
import { selectDoubles, selectWholes } from '../segment/read-chunk.ts'
import { fromNumber, fromText } from '../segment/stored-form.ts'
import { type Accumulator, type AddRows, type GroupedRows, larger } from './accumulator.ts'
import { compareNumbers } from './sums.ts'

type ValueJson = (value: ColumnValue) => string

export class NumberExtremes implements Accumulator {
  readonly #type: ScalarType
  readonly #isMax: boolean
  readonly #json: ValueJson
  #best = new Float64Array(1)
  #hasValue = new Uint8Array(1)

  constructor(type: ScalarType, isMax: boolean, json: ValueJson) {
    this.#type = type
    this.#isMax = isMax
    this.#json = json
  }

  reserve(groups: number): void {
    this.#best = larger(this.#best, groups)
    this.#hasValue = larger(this.#hasValue, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'numbers') return undefined
    const { values, present } = column
    return (rows) => {
      const chunk = selectDoubles(values, rows)
      keepNumbers(chunk, present, rows, {
        best: this.#best,
        hasValue: this.#hasValue,
        isMax: this.#isMax,
      })
    }
  }

  json(group: number): string | undefined {
    return this.#hasValue[group] === 1
      ? this.#json(fromNumber(this.#type, this.#best[group] as number))
      : undefined
  }

  compare(a: number, b: number): number {
    return compareNumbers(this.#best[a] as number, this.#best[b] as number)
  }
}

function keepNumbers(
  chunk: Float64Array,
  present: Bits | undefined,
  { from, places, groups, count }: GroupedRows,
  state: { best: Float64Array; hasValue: Uint8Array; isMax: boolean },
): void {
  const { best, hasValue, isMax } = state
  for (let at = 0; at < count; at += 1) {
    if (present !== undefined && !hasBit(present, from + (places[at] as number))) continue
    const group = groups[at] as number
    const value = chunk[at] as number
    const known = best[group] as number
    // Comparisons with NaN are false, and NaN is the largest.
    const isBetter = isMax
      ? value > known || Number.isNaN(value)
      : value < known || (Number.isNaN(known) && !Number.isNaN(value))
    if (hasValue[group] === 1 && !isBetter) continue
    best[group] = value
    hasValue[group] = 1
  }
}

function keepCodes(
  chunk: Int32Array,
  { groups, count }: GroupedRows,
  best: Int32Array,
  isMax: boolean,
): void {
  for (let at = 0; at < count; at += 1) {
    const code = chunk[at] as number
    const group = groups[at] as number
    const known = best[group] as number
    if (code === 0 || (known !== 0 && (isMax ? code <= known : code >= known))) continue
    best[group] = code
  }
}

/** Codes of one segment sort as their texts do; those of several are compared as texts. */
export class TextExtremes implements Accumulator {
  readonly #type: ScalarType
  readonly #isMax: boolean
  readonly #json: ValueJson
  readonly #texts = new Map<number, string>()
  #column: CodeColumn | undefined
  /** The best code of the current segment; 0 for none. */
  #best = new Int32Array(1)

  constructor(type: ScalarType, isMax: boolean, json: ValueJson) {
    this.#type = type
    this.#isMax = isMax
    this.#json = json
  }

  reserve(groups: number): void {
    this.#best = larger(this.#best, groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    if (column.kind !== 'codes') return undefined
    this.#column = column
    return (rows) => {
      keepCodes(selectWholes(column.codes, rows), rows, this.#best, this.#isMax)
    }
  }

  endSegment(): void {
    for (let group = 0; group < this.#best.length; group += 1) {
      const code = this.#best[group] as number
      if (code === 0) continue
      const text = this.#column?.dictionary.at(code - 1) ?? ''
      const known = this.#texts.get(group)
      const difference = known === undefined ? 0 : compareTexts(text, known)
      if (known === undefined || (this.#isMax ? difference > 0 : difference < 0)) {
        this.#texts.set(group, text)
      }
    }
    this.#best.fill(0)
  }

  json(group: number): string | undefined {
    const text = this.#texts.get(group)
    return text === undefined ? undefined : this.#json(fromText(this.#type, text))
  }

  compare(a: number, b: number): number {
    return compareTexts(this.#texts.get(a) ?? '', this.#texts.get(b) ?? '')
  }
}

/** Compares texts as databases do, by code point. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
