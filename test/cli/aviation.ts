import { DEMO_DEFINITION } from '../../src/server/demo/definition.ts'
import type { Service } from '../support/service.ts'

/** The ontology of the demo with few objects, for the examples in the help. */
export const SMALL_AVIATION = DEMO_DEFINITION

export const AIRPORTS = [
  airport('BSL', 'EuroAirport Basel', 'Basel', 'FR', 885, [7.5299, 47.59]),
  airport('GVA', 'Geneva Airport', 'Geneva', 'CH', 1411, [6.109, 46.2381]),
  airport(
    'LAX',
    'Los Angeles International Airport',
    'Los Angeles',
    'US',
    125,
    [-118.408, 33.9425],
  ),
  airport('LUG', 'Lugano Airport', 'Lugano', 'CH', 915, [8.9105, 46.004]),
  airport('NRT', '成田国際空港', 'Narita', 'JP', 141, [140.386, 35.7647]),
  airport('ZRH', 'Zurich Airport', 'Zurich', 'CH', 1416, [8.5481, 47.4581]),
]

const COUNTRIES = [
  { code: 'CH', name: 'Switzerland' },
  { code: 'FR', name: 'France' },
  { code: 'JP', name: 'Japan' },
  { code: 'US', name: 'United States' },
]

function airport(
  iata: string,
  name: string,
  city: string,
  countryCode: string,
  runwayFeet: number,
  coordinates: [longitude: number, latitude: number],
) {
  const location = { type: 'Point', coordinates }
  return { iata, name, city, countryCode, runwayFeet, location }
}

/** Returns the airports as a CSV file for `oqs import`. */
export function airportsCsv(): string {
  const rows = AIRPORTS.map(({ iata, name, city, countryCode, runwayFeet, location }) => {
    const [longitude, latitude] = location.coordinates
    return [iata, name, city, countryCode, runwayFeet, `"${latitude},${longitude}"`].join(',')
  })
  return `iata,name,city,countryCode,runwayFeet,location\n${rows.join('\n')}\n`
}

export async function loadAviation(service: Service): Promise<void> {
  await service.apply(SMALL_AVIATION)
  await service.put('aviation', 'airport', AIRPORTS)
  await service.put('aviation', 'country', COUNTRIES)
}
