/** Doubles as integers that hold all of their bits: what exact sums are checked with. */

const bits = new DataView(new ArrayBuffer(8))

/** Returns a finite double in units of 2 ** -1074. */
export function doubleUnits(value: number): bigint {
  bits.setFloat64(0, value)
  const all = bits.getBigUint64(0)
  const exponent = (all >> 52n) & 2047n
  const fraction = all & ((1n << 52n) - 1n)
  const units = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
  return all >> 63n === 0n ? units : -units
}

/** Returns the double nearest to a quotient of such units, by way of its decimal digits. */
export function nearestDouble(units: bigint, divisor: number): number {
  const by = BigInt(divisor)
  const scaled = (units < 0n ? -units : units) * 5n ** 1074n * 10n ** 40n
  const digits = `${scaled / by}${scaled % by === 0n ? '0' : '1'}`
  return Number(`${units < 0n ? '-' : ''}${digits}e-1115`) + 0
}
