/**
 * The exact sum of doubles as SQL. A sum of doubles rounds after each row, and casts to `numeric`
 * lose digits. Each value is split into whole numbers instead, whose sums are exact and fast.
 */

/** The bits of a part. */
const BITS = 62
/** Smaller than this, a value fits into the first part. */
const LIMIT = 2 ** BITS
/** The bits of larger values are in the first part and two parts behind the point. */
const LOWEST = 2 ** (52 - 2 * BITS)

/** Returns an aggregate of type `numeric`; null without values. */
export function doubleSumSql(column: string): string {
  const isUsual = `abs(${column}) < ${LIMIT} AND (abs(${column}) >= ${LOWEST} OR ${column} = 0)`
  const scaled = `((${column} - trunc(${column})) * ${LIMIT})`
  const rest = `((${scaled} - trunc(${scaled})) * ${LIMIT})`
  const usual = [column, scaled, rest].map((part, index) => {
    const sum = `sum(trunc(${part})::bigint) FILTER (WHERE ${isUsual})`
    return `${sum} * ${fraction(index * BITS)}`
  })
  const unusual = `sum(${exactSql(column)}) FILTER (WHERE NOT (${isUsual}))`
  return `CASE WHEN count(${column}) > 0 THEN
    ${[...usual, unusual].map((sum) => `coalesce(${sum}, 0)`).join(' + ')} END`
}

/** Returns 2 to the power of a negative number, in full. */
function fraction(bits: number): string {
  return `${5n ** BigInt(bits)}e-${bits}::numeric`
}

/** The lowest bit of all doubles. */
const SMALLEST_BITS = 1074

/** Returns the exact `numeric` of any double. Slow, so only for values that few columns have. */
function exactSql(column: string): string {
  // In two steps, because the whole factor is too large for a double.
  const half = 2 ** (SMALLEST_BITS / 2)
  return `CASE WHEN ${column} IN ('NaN', 'Infinity', '-Infinity') THEN ${column}::numeric
    WHEN abs(${column}) >= 1 THEN ${wholeSql(column)}
    ELSE ${wholeSql(`(${column} * ${half} * ${half})`)} * ${fraction(SMALLEST_BITS)} END`
}

/** Returns the exact `numeric` of a large double without a fraction. */
function wholeSql(column: string): string {
  // Leaves between 53 and 62 bits, however the logarithm is rounded.
  const power = `2::numeric ^ greatest(floor(ln(abs(${column})) / ${Math.LN2})::integer - 58, 0)`
  return `((${column} / (${power})::double precision)::bigint::numeric * (${power}))`
}
