/** How groups are ordered by metrics: one rule for both databases. */

/**
 * Digits after the point, beyond those of a sum, that decide the order of means. Unequal means
 * differ earlier: by at least one in the product of their numbers of values.
 */
export const QUOTIENT_DIGITS = 60
