/** Converts the JSON values of exports to those of columnar files: Parquet and Arrow. */
import { decimalUnits } from './decimal-digits.ts'
import { ownValue } from './row.ts'
import type { ColumnType, TableObject } from './table-file.ts'

type Convert = (value: unknown) => unknown

const DAY_MS = 86_400_000

const SCALARS: Readonly<Record<string, Convert>> = {
  long: (value) => BigInt(value as string),
  // The special numbers are texts in JSON.
  float: Number,
  double: Number,
  // A date without a time is one of UTC.
  date: (value) => daysOf(String(value)),
  timestamp: (value) => microsecondsOf(String(value)),
}

/**
 * Returns how values of a type are converted: 64-bit integers to bigints, decimals with digits to their
 * units, dates to days, timestamps to microseconds. `scalars` add to these, by type.
 */
export function converterOf(
  type: ColumnType,
  scalars: Readonly<Record<string, Convert>> = {},
): Convert {
  if (type.kind === 'array') {
    const convert = converterOf(type.items, scalars)
    return (value) => (value as readonly unknown[]).map(convert)
  }
  if (type.kind === 'struct') {
    const members = [...type.fields].map(
      ([name, field]) => [name, converterOf(field, scalars)] as const,
    )
    return (value) => {
      const struct = value as TableObject
      return Object.fromEntries(
        members
          .filter(([name]) => (ownValue(struct, name) ?? null) !== null)
          .map(([name, convert]) => [name, convert(struct[name])]),
      )
    }
  }
  const { digits } = type
  if (digits !== undefined) return (value) => decimalUnits(String(value), digits)
  return scalars[type.type] ?? SCALARS[type.type] ?? ((value) => value)
}

/** Returns the days of a date since 1970. */
export function daysOf(text: string): number {
  return Date.parse(text) / DAY_MS
}

/** The length of a timestamp without its fraction of a second, which has up to six digits. */
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length

/** Returns the microseconds of a timestamp since 1970. */
export function microsecondsOf(text: string): bigint {
  const milliseconds = Date.parse(`${text.slice(0, SECONDS_LENGTH)}Z`)
  const fraction = text.slice(SECONDS_LENGTH + 1, -1).padEnd(6, '0')
  if (Number.isNaN(milliseconds) || !/^\d{6}$/.test(fraction)) {
    throw new Error(`${text} is not a timestamp`)
  }
  return BigInt(milliseconds) * 1000n + BigInt(fraction)
}
