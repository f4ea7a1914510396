/** The outline of the continents as one small path, loaded when the first card has a map. */
import { type GeoPermissibleObjects, geoPath, geoProjection } from 'd3-geo'
import { toMap, X_SCALE, Y_SCALE } from './mini-map.ts'

/**
 * Draws the land. The projection cuts outlines at the antimeridian and closes them along it; a ring
 * that is merely interrupted there is closed across the map.
 */
export function landPath(land: GeoPermissibleObjects): string {
  const [x, y] = toMap([0, 0])
  const projection = geoProjection((longitude, latitude) => [
    longitude,
    (latitude * Y_SCALE) / X_SCALE,
  ])
    .scale((X_SCALE * 180) / Math.PI)
    .translate([x, y])
    .precision(0)
  return geoPath(projection).digits(1)(land) ?? ''
}
