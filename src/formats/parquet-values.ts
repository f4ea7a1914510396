/** The values of a column that are in memory while its rows are made. */

export interface ColumnValues {
  readonly length: number
  at(index: number): unknown
}

/** Different values up to which a column is kept as numbers of values. */
const MAX_DISTINCT = 0x10000

/**
 * Most columns repeat few values. Those are kept as numbers of two bytes outside the heap of
 * JavaScript: the large arrays that the Parquet library makes can then go at once, which more than
 * halves the memory that the process takes.
 */
export function compactValues(values: ArrayLike<unknown>): ColumnValues {
  if (!Array.isArray(values)) return { length: values.length, at: (index) => values[index] }
  const numbers = new Uint16Array(values.length)
  const distinct: unknown[] = []
  const numberOf = new Map<unknown, number>()
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index] ?? undefined
    let number = numberOf.get(value)
    if (number === undefined) {
      number = distinct.length
      const isTooMany = number === MAX_DISTINCT || (number > 1000 && number * 4 > values.length)
      if (isTooMany || typeof value === 'object') {
        return { length: values.length, at: (at) => values[at] }
      }
      numberOf.set(value, number)
      distinct.push(value)
    }
    numbers[index] = number
  }
  return { length: values.length, at: (index) => distinct[numbers[index] as number] }
}
