/** The outlines of land and countries, loaded when the first map is shown. */
import { type GeoPermissibleObjects, geoArea, geoBounds, geoCentroid } from 'd3-geo'
import type { Geometry } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { LostPart, loadPart } from '../api/load-part.ts'

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
export const FINE_FROM = 12

/** For queries of outlines: loaded once, and tried again while the service cannot be reached. */
export const OUTLINES = {
  staleTime: Number.POSITIVE_INFINITY,
  networkMode: 'always',
  retry: (_failures: number, error: Error) =>
    error instanceof LostPart && error.reason === 'unreachable',
} as const

export async function loadWorld(): Promise<World> {
  const { default: atlas } = await loadPart(() => import('world-atlas/countries-110m.json'))
  return readAtlas(atlas)
}

/** The same with more points, for maps that show a part of the world. */
export async function loadFineWorld(): Promise<World> {
  const { default: atlas } = await loadPart(() => import('world-atlas/countries-50m.json'))
  return readAtlas(atlas)
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
