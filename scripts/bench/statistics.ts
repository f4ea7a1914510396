/** What a set of numbers comes to; a machine that is shared makes means useless. */

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** The smallest number that the given share of all numbers does not exceed. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[at] ?? Number.NaN
}
