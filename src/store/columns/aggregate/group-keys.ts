/**
 * The keys of a grouping. Every row that belongs to a group gets the code of its key; equal keys have
 * equal codes in all segments.
 */
import { decodeDecimal } from '../../../ontology/values/column-value.ts'
import { columnJson } from '../../../ontology/values/scalar-codec.ts'
import type { Grouping } from '../../../query/aggregation/aggregation.ts'
import { cellJson, gridCell } from '../../../query/aggregation/geo-grid.ts'
import { stepStartJson } from '../../../query/aggregation/time-step.ts'
import { toColumnValue as comparedColumn } from '../../../query/compared-value.ts'
import { hasBit } from '../arrays/bits.ts'
import type { Column, PointColumn } from '../segment/column.ts'
import { fromNumber, fromText, isExact, toNumber, toText } from '../segment/stored-form.ts'
import { bucketOf, floorDivide, stepNumberOf, stepNumberOfText, stepsOf } from './buckets.ts'
import {
  type Coder,
  listCoder,
  NumberCodes,
  numberCoder,
  type Steps,
  textCoder,
} from './group-codes.ts'
import { rangeKeys } from './range-keys.ts'
import { TextNumbers } from './text-numbers.ts'

export interface GroupKeys {
  /** Returns how the rows of a segment get their codes; undefined if its column cannot answer. */
  readonly coderOf: (column: Column) => Coder | undefined
  readonly json: (code: number) => string
  /** True for the code of rows that belong to no group. */
  readonly isNone?: ((code: number) => boolean) | undefined
  /**
   * Returns a function that orders codes by their keys, once all segments are added. NaN comes last,
   * before the undefined rank of no value.
   */
  readonly ranks: () => (code: number) => number | undefined
}

export function groupKeys(grouping: Grouping): GroupKeys {
  switch (grouping.kind) {
    case 'exact':
      return grouping.ofElements === true ? elementKeys(grouping) : exactKeys(grouping)
    case 'fixedWidth':
      return widthKeys(grouping)
    case 'duration': {
      const { step, type } = grouping
      const stepOfText = stepNumberOfText(step)
      return wholeKeys({
        ofNumber: stepNumberOf(type, step),
        steps: stepsOf(type, step),
        ofText: (text) => BigInt(stepOfText(text)),
        json: (number) => stepStartJson(type, step, BigInt(number)),
      })
    }
    case 'ranges':
      return rangeKeys(grouping)
    case 'geoGrid':
      return gridKeys(grouping)
  }
}

type ExactGrouping = Grouping & { kind: 'exact' }

function elementKeys(grouping: ExactGrouping): GroupKeys {
  const keys = exactKeys({ ...grouping, ofElements: undefined })
  return {
    ...keys,
    coderOf: (column) => {
      const coder = column.kind === 'list' ? keys.coderOf(column.values) : undefined
      return coder && listCoder(column as Column & { kind: 'list' }, coder)
    },
  }
}

/** The code of the group `null`. Texts without a value have it even if they belong to no group. */
const NULL_CODE = 0

/** Groups by the value itself. Codes of values start at 1; the code 0 is that of no value. */
function exactKeys({ type, absent }: ExactGrouping): GroupKeys {
  const texts = new TextNumbers()
  const numbers = new NumberCodes(CODE_WINDOW)
  let isText = false
  const isAbsentExact =
    typeof absent !== 'object' || isExact(type, toNumber(type, comparedColumn(absent.value)))
  const absentCode = () => {
    if (absent === undefined) return -1
    if (absent === 'null') return NULL_CODE
    const column = comparedColumn(absent.value)
    return isText
      ? texts.numberOf(toText(type, column)) + 1
      : numbers.codeOf(toNumber(type, column)) + 1
  }
  return {
    coderOf: (column) => {
      if (column.kind === 'codes') {
        isText = true
        const byCode = texts.ofCodes(column.dictionary)
        if (typeof absent === 'object') byCode[0] = absentCode()
        return textCoder(column, byCode)
      }
      // A number that stands for two values cannot be told from the other one.
      if (column.kind !== 'numbers' || !isAbsentExact) return undefined
      numbers.startAt(column.range.min)
      const coder = numberCoder(column, { codes: numbers, toKey: undefined, absent: -1 })
      return shifted(coder, absentCode())
    },
    isNone: (code) => code === NULL_CODE && absent === undefined,
    json: (code) => {
      if (code === NULL_CODE) return 'null'
      const value = isText
        ? fromText(type, texts.textOf(code - 1))
        : fromNumber(type, numbers.numberOf(code - 1))
      return columnJson(type, value)
    },
    ranks: () => {
      const ranks = isText ? texts.ranks() : undefined
      return (code) => {
        if (code === NULL_CODE) return undefined
        return ranks === undefined ? numbers.numberOf(code - 1) : (ranks[code - 1] as number)
      }
    },
  }
}

/** Codes of whole numbers in a window of this size need no table. */
const CODE_WINDOW = 2 ** 16

/** Adds one to all codes, and gives rows without a value their code. */
function shifted(coder: Coder & { kind: 'one' }, absent: number): Coder {
  return {
    kind: 'one',
    read(selection, out) {
      coder.read(selection, out)
      return shiftCodes(out, selection.count, absent)
    },
  }
}

function shiftCodes(codes: Int32Array, count: number, absent: number): number {
  let bits = 0
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number
    const shiftedCode = code === -1 ? absent : code + 1
    codes[at] = shiftedCode
    bits |= shiftedCode
  }
  return bits
}

/** Groups values by a whole number that each of them has. */
function wholeKeys({
  ofNumber,
  steps,
  ofText,
  json,
}: {
  /** Returns NaN for a number without a key. */
  readonly ofNumber: (number: number) => number
  readonly steps: Steps
  readonly ofText: (text: string) => bigint
  readonly json: (key: number | bigint) => string
}): GroupKeys {
  const codes = new NumberCodes(CODE_WINDOW)
  const keys: bigint[] = []
  const codesOfKeys = new Map<bigint, number>()
  const codeOfText = (text: string) => {
    const key = ofText(text)
    const known = codesOfKeys.get(key)
    if (known !== undefined) return known
    codesOfKeys.set(key, keys.length)
    return keys.push(key) - 1
  }
  const keyOf = (code: number) => keys[code] ?? codes.numberOf(code)
  return {
    coderOf: (column) => {
      if (column.kind === 'codes' && codes.isUnused) {
        const { dictionary } = column
        const byCode = new Int32Array(dictionary.size + 1)
        byCode[0] = -1
        let code = 0
        for (const text of dictionary.slice(0, dictionary.size)) {
          code += 1
          byCode[code] = codeOfText(text)
        }
        return textCoder(column, byCode)
      }
      if (column.kind !== 'numbers' || keys.length > 0) return undefined
      codes.startAt(ofNumber(column.range.min))
      return numberCoder(column, { codes, toKey: ofNumber, steps, absent: -1 })
    },
    json: (code) => json(keyOf(code)),
    ranks: () => {
      if (keys.length === 0) return (code) => codes.numberOf(code)
      const sorted = keys.toSorted((a, b) => (a < b ? -1 : 1))
      const places = new Map(sorted.map((key, place) => [key, place]))
      return (code) => places.get(keys[code] ?? 0n) ?? 0
    },
  }
}

function widthKeys({ width }: Grouping & { kind: 'fixedWidth' }): GroupKeys {
  const by = BigInt(width)
  return wholeKeys({
    ofNumber: (number) => bucketOf(number, width) ?? Number.NaN,
    steps: { offset: 0, width },
    ofText: (text) => {
      const { units, scale } = decodeDecimal(text)
      return floorDivide(units, by * 10n ** BigInt(scale))
    },
    json: (bucket) => {
      const start = Number(bucket) * width
      if (Number.isSafeInteger(start)) return String(start)
      return Math.abs(Number(bucket)) < 2 ** 63 || typeof bucket === 'bigint'
        ? String(BigInt(bucket) * by)
        : String(Math.max(-Number.MAX_VALUE, Math.min(start, Number.MAX_VALUE)))
    },
  })
}

const NONE: readonly number[] = []

function gridKeys({ grid }: Grouping & { kind: 'geoGrid' }): GroupKeys {
  const cellOf =
    ({ longitudes, latitudes, present }: PointColumn) =>
    (position: number) =>
      present !== undefined && !hasBit(present, position)
        ? NONE
        : (gridCell(grid, longitudes[position] as number, latitudes[position] as number) ?? NONE)
  return {
    coderOf: (column) =>
      column.kind === 'points' ? { kind: 'many', codesOf: cellOf(column) } : undefined,
    json: (code) => cellJson(grid, code),
    ranks: () => (code) => code,
  }
}
