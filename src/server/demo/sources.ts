import { readAirports } from './airports.ts'
import { readCities } from './cities.ts'
import { readCountries } from './countries.ts'
import type { DemoObject } from './demo-object.ts'
import { readFlights } from './flights.ts'

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
