/** Numbers as text, with every digit that is stored. */

/**
 * Amounts are grouped by thousands; years, codes and ids are plain. Others (`auto`) are grouped from
 * five digits on, as whole numbers of four digits may be years.
 */
export type NumberStyle = 'plain' | 'grouped' | 'auto'

/** Smaller numbers are written with an exponent. */
const MOST_DECIMALS = 15
const GROUP = /\B(?=(?:\d{3})+$)/g

/** Returns the text of a number. Types whose digits exceed those of a JSON number come as text. */
export function formatNumber(value: number | string, style: NumberStyle = 'auto'): string {
  const text = typeof value === 'number' ? numberText(value) : value
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(text) ?? []
  const mayBeYear = style === 'auto' && whole.length <= 4 && !rest.startsWith('.')
  if (style === 'plain' || mayBeYear) return text
  return sign + whole.replaceAll(GROUP, ',') + rest
}

/** Writes small numbers as they are read: 0.00000012, not 1.2e-7. */
function numberText(value: number): string {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e-')
  if (exponent === undefined) return text
  const decimals = Number(exponent) + (mantissa.split('.')[1]?.length ?? 0)
  return decimals <= MOST_DECIMALS ? value.toFixed(decimals) : text
}

/** As many digits as a decimal text can have without a change by the binary form. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 15 })
const COMPACT_FROM = 10_000
/** There is no letter for a thousand trillions. */
const COMPACT_BELOW = 1e15

/** Returns the format of an axis with these values. It is short (`12K`) where no digit is lost. */
export function axisFormat(
  values: readonly number[],
  style: NumberStyle = 'auto',
): (value: number) => string {
  const largest = Math.max(0, ...values.map(Math.abs))
  const isCompact = style !== 'plain' && largest >= COMPACT_FROM && largest < COMPACT_BELOW
  return isCompact ? (value) => COMPACT.format(value) : (value) => formatNumber(value, style)
}
