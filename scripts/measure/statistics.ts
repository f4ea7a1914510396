/** Quantiles. Means are useless on a shared machine. */

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** Returns the smallest number that is not exceeded by the given share of all numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}
