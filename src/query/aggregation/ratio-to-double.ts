/** Exact division of big integers into doubles. */

/** More bits than a double holds, so that the rest decides only how to round. */
const QUOTIENT_BITS = 64

/**
 * Returns the double nearest to a ratio, rounded once, half to even. The denominator must be positive
 * and the ratio within the normal range of doubles, which sums of stored numbers never leave.
 */
export function ratioToDouble(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -ratioToDouble(-numerator, denominator)
  const bits = numerator.toString(2).length - denominator.toString(2).length
  const shift = Math.max(QUOTIENT_BITS - bits, 0)
  const scaled = numerator << BigInt(shift)
  const quotient = scaled / denominator
  // A sticky bit below the precision of a double represents the remainder.
  const sticky = scaled % denominator === 0n ? 0n : 1n
  return Number(quotient | sticky) * 2 ** -shift
}
