/** ISO 8601 durations of fixed length: whole days, hours, minutes and seconds. */

export const DAY_SECONDS = 86_400

// Months and years have no fixed length. Fractions of seconds are not part of the public API.
const DURATION = /^P(?!$)(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** Returns the length in seconds, or undefined if the text is invalid or the length is zero. */
export function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  const total = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds
  return total > 0 ? total : undefined
}

/** The start of the year 0000, the earliest that dates and timestamps can express. */
const EARLIEST_MILLISECONDS = -62_167_219_200_000

/**
 * Formats the start of an interval as a date or timestamp. An earlier start is reported as the year
 * 0000, which no stored value precedes.
 */
export function intervalStart(type: 'date' | 'timestamp', epochMilliseconds: number): string {
  const text = new Date(Math.max(epochMilliseconds, EARLIEST_MILLISECONDS)).toISOString()
  return type === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}
