/** Objects and aggregations of the aggregation model, and how values of each type compare. */

import { doubleUnits } from './double-units.ts'

export type ModelType = keyof typeof TYPES

export interface ModelObject {
  readonly id: number
  readonly [property: string]: unknown
}

export interface ModelMetric {
  readonly type: string
  readonly property: ModelType
  readonly name: string
  /** Orders the groups. */
  readonly direction?: 'ASC' | 'DESC'
  /** With at most one digit after the point. */
  readonly percentile?: number
}

export type TimeUnit =
  | 'MILLISECONDS'
  | 'SECONDS'
  | 'MINUTES'
  | 'HOURS'
  | 'DAYS'
  | 'WEEKS'
  | 'MONTHS'
  | 'QUARTERS'
  | 'YEARS'

/** The edges of the grid and its cells, in whole degrees. */
export interface ModelGrid {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
  readonly columns: number
  readonly rows: number
}

export interface ModelGrouping {
  readonly type: 'exact' | 'fixedWidth' | 'ranges' | 'duration' | 'geoGrid'
  readonly property: ModelType | 'geopoint'
  /** The name of the property, if it is not named after its type. */
  readonly name?: string
  /** True for an array, which is grouped by its elements. */
  readonly ofElements?: boolean
  readonly grid?: ModelGrid
  readonly maxGroupCount?: number | undefined
  /** A value of the property. */
  readonly defaultValue?: unknown
  readonly includeNullValues?: boolean
  readonly fixedWidth?: number
  readonly ranges?: readonly Readonly<Record<string, unknown>>[]
  /** The length of an interval, in seconds or in units. */
  readonly seconds?: number
  readonly value?: number
  readonly unit?: TimeUnit
}

/** Behind the point, the smallest double has so many digits, and decimals here have fewer. */
export const SCALE = 1074
export const UNIT = 10n ** BigInt(SCALE)

export type Sortable = string | number | bigint

export interface TypeModel {
  /** Compares as the property sorts. NaN is larger than every number. */
  readonly sort: (value: never) => Sortable
  readonly shown?: (value: never) => unknown
  /** The exact number, in units of 10^-SCALE, where it is one. */
  readonly units?: (value: never) => bigint | undefined
  readonly milliseconds?: (value: never) => number
}

/** Each property is named after its type. */
export const TYPES = {
  string: { sort: (text: string) => Buffer.from(text).toString('hex') },
  boolean: { sort: (flag: boolean) => Number(flag) },
  integer: { sort: (n: number) => n, units: (n: number) => BigInt(n) * UNIT },
  long: { sort: (n: string) => BigInt(n), units: (n: string) => BigInt(n) * UNIT },
  double: {
    sort: (n: number | string) => (n === 'NaN' ? 'NaN' : Number(n)),
    units: (n: number | string) =>
      typeof n === 'string' ? undefined : doubleUnits(n) * 5n ** BigInt(SCALE),
  },
  decimal: {
    sort: (text: string) => unitsOf(text),
    shown: (text: string) => textOf(unitsOf(text)),
    units: (text: string) => unitsOf(text),
  },
  date: { sort: (text: string) => text, milliseconds: (text: string) => Date.parse(text) },
  timestamp: {
    sort: (text: string) => microsOf(text),
    // By way of decimal text, which is read exactly.
    milliseconds: (text: string) => Number(`${microsOf(text)}e-3`) + 0,
  },
} as const satisfies Record<string, TypeModel>

function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'))
  return text.startsWith('-') ? -units : units
}

function microsOf(text: string): bigint {
  const fraction = text.slice(20, -1).padEnd(6, '0')
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(fraction)
}

function textOf(units: bigint): string {
  const digits = String(units)
    .replace('-', '')
    .padStart(SCALE + 1, '0')
  const text = `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`.replace(/\.?0+$/, '')
  return units < 0n ? `-${text}` : text
}

export const model = (type: ModelType): TypeModel => TYPES[type]

/** Compares values that `sort` returned. */
export function compare(a: Sortable, b: Sortable): number {
  // NaN is the only text among numbers.
  if (typeof a !== typeof b) return a === 'NaN' ? 1 : b === 'NaN' ? -1 : Number(a > b) * 2 - 1
  return a < b ? -1 : a > b ? 1 : 0
}
