/** Shapes of objects as paths in degrees, one unit to the right or down for each. */

interface Geometry {
  readonly type: string
  readonly coordinates?: readonly unknown[]
  readonly geometries?: readonly Geometry[]
}

type Position = readonly number[]

/** Returns the outline of a shape; undefined if it has none. Points are drawn as small squares. */
export function shapePath(value: unknown): Path2D | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const path = new Path2D()
  addGeometry(path, value as Geometry)
  return path
}

/** Lists are as deep as the type says: rings of positions, or polygons of rings. */
function addGeometry(path: Path2D, { type, coordinates = [], geometries = [] }: Geometry): void {
  for (const geometry of geometries) addGeometry(path, geometry)
  if (type === 'Point' || type === 'MultiPoint') {
    for (const position of type === 'Point' ? [coordinates] : coordinates) {
      const [longitude = 0, latitude = 0] = position as Position
      path.rect(longitude, -latitude, 0, 0)
    }
    return
  }
  const isClosed = type.endsWith('Polygon')
  for (const line of linesIn(coordinates).map(unwrapped)) {
    addLine(path, line, isClosed, 0)
    // What leaves the map on one side comes back on the other.
    if (line.some(([longitude = 0]) => longitude > 180)) addLine(path, line, isClosed, -360)
    if (line.some(([longitude = 0]) => longitude < -180)) addLine(path, line, isClosed, 360)
  }
}

function addLine(path: Path2D, line: readonly Position[], isClosed: boolean, moved: number): void {
  for (const [index, [longitude = 0, latitude = 0]] of line.entries()) {
    if (index === 0) path.moveTo(longitude + moved, -latitude)
    else path.lineTo(longitude + moved, -latitude)
  }
  if (isClosed) path.closePath()
}

/** Returns a line that goes on beyond 180 degrees, and not back around the world. */
export function unwrapped(line: readonly Position[]): readonly Position[] {
  let turns = 0
  return line.map(([longitude = 0, latitude = 0], index) => {
    const step = index === 0 ? 0 : longitude - (line[index - 1]?.[0] ?? 0)
    if (step > 180) turns -= 1
    if (step < -180) turns += 1
    return [longitude + 360 * turns, latitude]
  })
}

function linesIn(list: readonly unknown[]): readonly (readonly Position[])[] {
  const [first] = list
  if (!Array.isArray(first)) return []
  return Array.isArray(first[0])
    ? list.flatMap((each) => linesIn(each as readonly unknown[]))
    : [list as readonly Position[]]
}
