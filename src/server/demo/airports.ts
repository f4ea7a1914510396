import { Readable } from 'node:stream'
import { readCsv } from '../../formats/csv/read-csv.ts'
import { isUnreadable } from '../../formats/row.ts'
import { readPackageFile, requirePackage } from './data-packages.ts'
import { nullIf } from './demo-object.ts'

/** An airport of `airport-data-js`: the members that the demo uses. */
interface SourceAirport {
  readonly iata: string
  readonly icao: string | number
  readonly airport: string
  readonly country_code: string
  readonly continent: string
  readonly type: string
  readonly scheduled_service: string
  readonly runway_length: number | null
  readonly latitude: number
  readonly longitude: number
  readonly time: string
  readonly wikipedia: string
  readonly website: string
}

interface AirportData {
  getAirportByContinent(code: string): Promise<SourceAirport[]>
}

const CONTINENTS = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA']

export type Airport = ReturnType<typeof toAirport>

export async function readAirports(): Promise<Airport[]> {
  const cities = await readCities()
  return (await readSource()).map((airport) => toAirport(airport, cities))
}

/** Reads the airports in key order. */
async function readSource(): Promise<SourceAirport[]> {
  const data = requirePackage('airport-data-js') as AirportData
  const airports = await Promise.all(CONTINENTS.map((code) => data.getAirportByContinent(code)))
  return airports
    .flat()
    .filter(isAirport)
    .sort((a, b) => (a.iata < b.iata ? -1 : 1))
}

/** IATA also assigns codes to stations and to whole cities. */
const NO_AIRPORT =
  /\b(?:railway|rail|bus) (?:station|stn|service)\b|\bferry (?:port|terminal)\b|\bgare\b|^(?:paris )?metropolitan(?: area)?$/i

function isAirport({ iata, airport }: SourceAirport): boolean {
  return /^[A-Z]{3}$/.test(iata) && !NO_AIRPORT.test(airport)
}

function toAirport(airport: SourceAirport, cities: ReadonlyMap<string, SourceCity>) {
  const { iata, icao, longitude, latitude } = airport
  const city = cities.get(iata)
  const isSameAirport = city !== undefined && isNear(city, airport)
  return {
    iata,
    // Other codes are national ones.
    icao: typeof icao === 'string' && /^[A-Z]{4}$/.test(icao) ? icao : null,
    name: airport.airport,
    city: isSameAirport ? nullIf(city.city, 'NA') : null,
    state: isSameAirport ? nullIf(city.state, 'NA') : null,
    countryCode: airport.country_code,
    continent: airport.continent,
    kind: airport.type.replaceAll('_', ' '),
    scheduledService: airport.scheduled_service === 'TRUE',
    runwayFeet: runwayFeet(airport),
    location: { type: 'Point', coordinates: [longitude, latitude] },
    timeZone: timeZone(airport.time),
    wikipedia: url(airport.wikipedia),
    website: url(airport.website),
  }
}

/** Shorter lengths are mistakes; at a large airport they are probably in metres. */
const MIN_RUNWAY_FEET = 600
const MIN_RUNWAY_FEET_OF_LARGE = 4900

function runwayFeet({ type, runway_length: feet }: SourceAirport): number | null {
  const minimum = type === 'large_airport' ? MIN_RUNWAY_FEET_OF_LARGE : MIN_RUNWAY_FEET
  return feet === null || feet < minimum ? null : feet
}

function timeZone(text: string): string {
  return text.replaceAll(/\s/g, '')
}

function url(text: string): string | null {
  return URL.canParse(text) && /^https?:\S+$/.test(text) ? text : null
}

/** An airport of the United States in `vega-datasets`, the only source that has cities. */
interface SourceCity {
  readonly iata: string
  readonly city: string
  readonly state: string
  readonly latitude: string
  readonly longitude: string
}

async function readCities(): Promise<Map<string, SourceCity>> {
  const cities = new Map<string, SourceCity>()
  const file = readPackageFile('vega-datasets', '../data/airports.csv')
  for await (const rows of readCsv(Readable.from([file])).rows) {
    for (const row of rows) {
      if (isUnreadable(row)) {
        throw new Error(`airports.csv of vega-datasets: line ${row.line} cannot be read`)
      }
      const city = row.cells as Readonly<Record<keyof SourceCity, string>>
      cities.set(city.iata, city)
    }
  }
  return cities
}

const NEAR_DEGREES = 0.2

/** Many of its codes are national ones, which IATA assigns to other airports. */
function isNear(city: SourceCity, { latitude, longitude }: SourceAirport): boolean {
  return (
    Math.abs(Number(city.latitude) - latitude) < NEAR_DEGREES &&
    Math.abs(Number(city.longitude) - longitude) < NEAR_DEGREES
  )
}
