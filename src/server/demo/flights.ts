import { readPackageFile } from './data-packages.ts'
import type { DemoObject } from './demo-object.ts'

/** A flight of `vega-datasets`. */
interface SourceFlight {
  /** The actual departure in local time, such as `2001/01/01 00:47`. */
  readonly date: string
  /** The arrival delay in minutes. */
  readonly delay: number
  readonly distance: number
  readonly origin: string
  readonly destination: string
}

/** The delay from which the Bureau of Transportation Statistics counts a flight as late. */
const LATE_MINUTES = 15

/** Reads the flights. `zones` has the time zone of every airport, by IATA code. */
export function readFlights(zones: ReadonlyMap<string, string>): Iterable<DemoObject> {
  const text = readPackageFile('vega-datasets', '../data/flights-20k.json').toString('utf8')
  return toFlights(JSON.parse(text) as SourceFlight[], zones)
}

function* toFlights(
  flights: readonly SourceFlight[],
  zones: ReadonlyMap<string, string>,
): Iterable<DemoObject> {
  const offsets = new Map<string, string>()
  for (const [index, flight] of flights.entries()) {
    const { delay, distance, origin, destination } = flight
    const [date = '', time] = flight.date.replaceAll('/', '-').split(' ')
    const zone = zones.get(origin)
    yield {
      id: index + 1,
      route: `${origin}-${destination}`,
      date,
      departure: zone === undefined ? null : `${date}T${time}${offsetOf(zone, date, offsets)}`,
      delayMinutes: delay,
      late: delay >= LATE_MINUTES,
      distanceMiles: distance,
      origin,
      destination,
    }
  }
}

/** Returns the offset of a zone on a day. No flight is on a day when the clocks changed. */
function offsetOf(timeZone: string, date: string, cache: Map<string, string>): string {
  const key = `${timeZone} ${date}`
  const offset = cache.get(key) ?? findOffset(timeZone, date)
  cache.set(key, offset)
  return offset
}

function findOffset(timeZone: string, date: string): string {
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${date}T12:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value
  // Such as `GMT-05:00`; `GMT` alone means no offset.
  return name === undefined || name === 'GMT' ? 'Z' : name.slice('GMT'.length)
}
