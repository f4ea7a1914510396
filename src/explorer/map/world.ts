/** The outlines of the continents, loaded when the first map is shown. */
import type { GeoPermissibleObjects } from 'd3-geo'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

export async function loadLand(): Promise<GeoPermissibleObjects> {
  const { default: topology } = await import('world-atlas/land-110m.json')
  const world = topology as unknown as Topology<{ readonly land: GeometryCollection }>
  return feature(world, world.objects.land)
}
