/** The outlines of land and countries, and the names of cities, loaded when the first map is shown. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type GeoPermissibleObjects, geoArea, geoBounds, geoCentroid } from 'd3-geo'
import type { Geometry } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { LostPart, loadPart } from '../api/load-part.ts'
import type { Box } from '../view/view-state.ts'

export interface World {
  readonly land: GeoPermissibleObjects
  /** The lines between countries, without coasts. */
  readonly borders: GeoPermissibleObjects
  /** The largest first. */
  readonly countries: readonly Country[]
}

/** The name of a country, and where it fits: in the middle of its largest part. */
export interface Country {
  readonly name: string
  readonly longitude: number
  readonly latitude: number
  /** The width of its largest part. */
  readonly degrees: number
}

type Atlas = Topology<{
  readonly land: GeometryCollection
  readonly countries: GeometryCollection<{ readonly name: string }>
}>

/** Pixels per degree from which coarse outlines show their corners. */
const FINE_FROM = 12

/** For queries of outlines: loaded once, and tried again while the service cannot be reached. */
export const OUTLINES = {
  staleTime: Number.POSITIVE_INFINITY,
  networkMode: 'always',
  retry: (_failures: number, error: Error) =>
    error instanceof LostPart && error.reason === 'unreachable',
} as const

/** Loads the outlines; fine ones have more points, for maps that show a part of the world. */
export async function loadWorld(isFine = false): Promise<World> {
  const { default: atlas } = await loadPart(() =>
    isFine ? import('world-atlas/countries-50m.json') : import('world-atlas/countries-110m.json'),
  )
  return readAtlas(atlas)
}

function worldQuery(isFine: boolean) {
  return queryOptions({
    queryKey: ['world', isFine],
    queryFn: () => loadWorld(isFine),
    ...OUTLINES,
  })
}

/** Returns the outlines that suit a scale; the coarse ones until the fine ones have arrived. */
export function useWorld(pixelsPerDegree: number): World | undefined {
  const isFine = pixelsPerDegree >= FINE_FROM
  const { data: coarse } = useQuery(worldQuery(false))
  const { data: fine } = useQuery({ ...worldQuery(true), enabled: isFine })
  return (isFine && fine) || coarse
}

export function readAtlas(topology: unknown): World {
  const atlas = topology as Atlas
  return {
    land: feature(atlas, atlas.objects.land),
    borders: mesh(atlas, atlas.objects.countries, (one, other) => one !== other),
    countries: feature(atlas, atlas.objects.countries)
      .features.flatMap(({ geometry, properties }) => countryOf(geometry, properties.name))
      .toSorted((a, b) => b.degrees - a.degrees),
  }
}

function countryOf(geometry: Geometry, name: string): readonly Country[] {
  const polygons =
    geometry.type === 'Polygon'
      ? [geometry.coordinates]
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates
        : []
  const parts = polygons.map((coordinates) => ({ type: 'Polygon', coordinates }) as const)
  const [largest] = parts.toSorted((a, b) => geoArea(b) - geoArea(a))
  if (largest === undefined) return []
  const [longitude, latitude] = geoCentroid(largest)
  const [[west], [east]] = geoBounds(largest)
  return [{ name, longitude, latitude, degrees: east < west ? east - west + 360 : east - west }]
}

/** A name with its position; cities come in the order of their population. */
export type City = readonly [name: string, longitude: number, latitude: number]

export async function loadCities(): Promise<readonly City[]> {
  const { cities } = await loadPart(() => import('virtual:cities'))
  return cities
}

/** Returns how to find the largest city in a box: cities are looked up by the degree that they lie in. */
export function cityFinder(cities: readonly City[]): (box: Box) => string | undefined {
  const byDegree = Map.groupBy(cities.keys(), (rank) => {
    const [, longitude, latitude] = cities[rank] as City
    return degreeOf(Math.floor(longitude), Math.floor(latitude))
  })
  return ([west, south, east, north]) => {
    let first = cities.length
    for (let latitude = Math.floor(south); latitude < north; latitude += 1) {
      for (let longitude = Math.floor(west); longitude < east; longitude += 1) {
        const rank = byDegree.get(degreeOf(longitude, latitude))?.find((one) => {
          const [, x, y] = cities[one] as City
          return x >= west && x < east && y >= south && y < north
        })
        first = Math.min(first, rank ?? first)
      }
    }
    return cities[first]?.[0]
  }
}

function degreeOf(longitude: number, latitude: number): number {
  return latitude * 1000 + longitude
}
