import { readPackageFile } from './data-packages.ts'
import type { DemoObject } from './demo-object.ts'

/** A flight of `vega-datasets`: its actual departure in local time, its delay at arrival. */
interface SourceFlight {
  /** `2001/01/01 00:47` */
  readonly date: string
  readonly delay: number
  readonly distance: number
  readonly origin: string
  readonly destination: string
}

/** The delay from which the Bureau of Transportation Statistics counts a flight as late. */
const LATE_MINUTES = 15

/** Needs the time zone of every airport, by IATA code. */
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

/** The offset of a zone on a day: the flights end before the clocks were changed in 2001. */
function offsetOf(timeZone: string, date: string, known: Map<string, string>): string {
  const key = `${timeZone} ${date}`
  const offset = known.get(key) ?? findOffset(timeZone, date)
  known.set(key, offset)
  return offset
}

function findOffset(timeZone: string, date: string): string {
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${date}T12:00Z`))
    .find(({ type }) => type === 'timeZoneName')?.value
  // `GMT-05:00`, and `GMT` alone for no offset
  return name === undefined || name === 'GMT' ? 'Z' : name.slice('GMT'.length)
}
