/**
 * Column values: the form of a property in which queries compare and orders sort. Values that
 * compare equal have the same column value, and column values sort as the property does: numbers as
 * numbers, text by code point, dates and timestamps by time, decimals exactly.
 */

/** NaN is the text `NaN`: it equals itself and sorts after every number. */
export type ColumnValue = string | number | bigint

/** An exact decimal: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** The width of the prefix that counts the whole digits; three suffice for every accepted decimal. */
const LENGTH_DIGITS = 3

/**
 * Encodes a decimal as text that sorts as the number does: sign, count of whole digits, digits,
 * fraction without trailing zeros. A negative number has its digits complemented and ends with `~`,
 * so that larger magnitudes sort first.
 */
export function sortableDecimal(text: string): string {
  const isNegative = text.startsWith('-')
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = whole.replace(/^0+/, '')
  const trimmed = fraction.replace(/0+$/, '')
  const magnitude = String(digits.length).padStart(LENGTH_DIGITS, '0') + digits + trimmed
  if (!isNegative || /^0*$/.test(magnitude)) return `1${magnitude}`
  return `0${complementDigits(magnitude)}~`
}

/** Decodes the text of `sortableDecimal`. */
export function decodeDecimal(sortable: string): Decimal {
  const isNegative = sortable.startsWith('0')
  const magnitude = isNegative ? complementDigits(sortable.slice(1, -1)) : sortable.slice(1)
  const digits = magnitude.slice(LENGTH_DIGITS)
  const scale = digits.length - Number(magnitude.slice(0, LENGTH_DIGITS))
  const units = BigInt(digits)
  return { units: isNegative ? -units : units, scale }
}

export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale)
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function complementDigits(digits: string): string {
  return digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))
}
