/** Percentiles as fractions that databases compare with the share of values up to a value. */

/** Larger than the rounding errors of a division by 100 and of a share. */
const TOLERANCE = 2 ** -50

/**
 * Returns a percentile from 0 to 100 as a fraction. It is slightly lower, so that the 7th
 * percentile of 100 values is the 7th value although 7 / 100 is rounded up.
 */
export function percentileFraction(percentile: number): number {
  return (percentile / 100) * (1 - TOLERANCE)
}
