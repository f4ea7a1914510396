/** The outlines of land and countries, loaded when the first map is shown. */
import type { GeoPermissibleObjects } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { LostPart, loadPart } from '../api/load-part.ts'

export interface World {
  readonly land: GeoPermissibleObjects
  /** The lines between countries, without coasts. */
  readonly borders: GeoPermissibleObjects
}

type Atlas = Topology<{
  readonly land: GeometryCollection
  readonly countries: GeometryCollection
}>

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
  }
}
