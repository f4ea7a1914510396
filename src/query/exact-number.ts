/** Bits of a quotient that surely hold those of a double, and one that tells which way to round. */
const QUOTIENT_BITS = 64

/**
 * The double nearest to an exact ratio: rounded once, half to even. The denominator is positive.
 * For ratios within the normal range of doubles, which sums of stored numbers never leave.
 */
export function ratioToDouble(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -ratioToDouble(-numerator, denominator)
  const bits = numerator.toString(2).length - denominator.toString(2).length
  const shift = Math.max(QUOTIENT_BITS - bits, 0)
  const scaled = numerator << BigInt(shift)
  const quotient = scaled / denominator
  // The last bit lies behind those of the double: it stands for all that follows.
  const sticky = scaled % denominator === 0n ? 0n : 1n
  return Number(quotient | sticky) * 2 ** -shift
}
