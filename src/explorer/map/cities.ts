/** The names of large cities, loaded when the first map is shown. */
import { loadPart } from '../api/load-part.ts'
import type { Box } from '../view/view-state.ts'

/** A name with its position; cities come in the order of their population. */
export type City = readonly [name: string, longitude: number, latitude: number]

export async function loadCities(): Promise<readonly City[]> {
  const { cities } = await loadPart(() => import('virtual:cities'))
  return cities
}

/** Returns the largest city in a box. */
export function cityIn(
  cities: readonly City[],
  [west, south, east, north]: Box,
): string | undefined {
  return cities.find(
    ([, longitude, latitude]) =>
      longitude >= west && longitude < east && latitude >= south && latitude < north,
  )?.[0]
}
