/**
 * Timestamps as integers: microseconds since 1970. In the indexes of SQLite they take 8 bytes instead
 * of the 27 of the column value.
 */

/** Returns the microseconds of a column value such as `2026-01-31T12:00:00.000000Z`. */
export function microsecondsOf(timestamp: string): bigint {
  const milliseconds = Date.parse(`${timestamp.slice(0, 23)}Z`)
  return BigInt(milliseconds) * 1000n + BigInt(timestamp.slice(23, 26))
}

/** Returns the microseconds of a column value, in SQLite, which would round fractions of seconds. */
export function microsecondsSql(timestamp: string): string {
  return `(unixepoch(substr(${timestamp}, 1, 19)) * 1000000 + substr(${timestamp}, 21, 6))`
}
