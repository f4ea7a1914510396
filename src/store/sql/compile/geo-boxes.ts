/** Boxes by which an index of positions finds the candidates of a condition. */
import { circleBoxes } from '../../../query/matching/distance.ts'
import { type Box, boxOf, toShape } from '../../../query/matching/shape.ts'
import type { GeoArea } from '../../../query/query.ts'

/** An area of more members is searched by one box around all of them. */
const MAX_BOXES = 4

/** Returns boxes that contain every position of the area. */
export function areaBoxes(area: GeoArea): Box[] {
  if (area.kind === 'circle') return circleBoxes(area.center, area.metres)
  const shape = toShape(area.members)
  return shape.length > MAX_BOXES ? [boxOf(shape)] : shape.map((member) => boxOf([member]))
}
