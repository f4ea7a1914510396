/** ISO 8601 durations of fixed length: days, hours, minutes and seconds, each a whole number. */

export const DAY_SECONDS = 86_400

// Months and years have no fixed length, and the public API knows nothing smaller than seconds.
const DURATION = /^P(?!$)(?:(\d{1,9})D)?(?:T(?!$)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** The seconds of a duration, or nothing when it is none or no time at all. */
export function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  const total = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds
  return total > 0 ? total : undefined
}

/** What a date and a time can be written as: the years 0000 to 9999. */
const EARLIEST_SECONDS = -62_167_219_200

/**
 * The start of an interval as the wire writes dates and timestamps. An interval that begins before
 * the year 0000 is shown from there: no time before can be written, or stored.
 */
export function intervalStart(type: 'date' | 'timestamp', epochSeconds: number): string {
  const from = Math.max(epochSeconds, EARLIEST_SECONDS)
  const text = new Date(from * 1000).toISOString()
  return type === 'date' ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
}
