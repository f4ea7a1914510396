/** The `valid_to` of a current row: larger than any version, and exact as a double. */
export const NEVER_CLOSED = Number.MAX_SAFE_INTEGER
