import { type ShapeMember, sideOf } from './shape.ts'

/** True for a polygon without holes all of whose corners turn the same way, once around. */
export function isConvex({ isPolygon, paths }: ShapeMember): boolean {
  const [ring, ...holes] = paths
  if (!isPolygon || ring === undefined || holes.length > 0) return false
  const corners: (readonly [number, number])[] = []
  for (let at = 2; at < ring.length; at += 2) corners.push([ring[at] ?? 0, ring[at + 1] ?? 0])
  const cornerAt = (index: number) => corners[index % corners.length] ?? [0, 0]
  const turns = new Set(
    corners.map((corner, index) =>
      sideOf(...corner, ...cornerAt(index + 1), ...cornerAt(index + 2)),
    ),
  )
  if (turns.has(1) && turns.has(-1)) return false
  // A ring that turns the same way but goes around twice changes its direction more often.
  return [0, 1].every((axis) => {
    const directions = corners
      .map((corner, index) => Math.sign((cornerAt(index + 1)[axis] ?? 0) - (corner[axis] ?? 0)))
      .filter((direction) => direction !== 0)
    const changes = directions.filter(
      (direction, index) => direction !== directions[(index + 1) % directions.length],
    )
    return changes.length <= 2
  })
}
