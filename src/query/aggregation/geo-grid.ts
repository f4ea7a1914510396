/**
 * Grids of cells over a part of the earth. Every store computes the cell of a position with the same
 * operations on doubles, in the same order, so that all of them agree.
 */

/** The edges of a box, in degrees. */
export interface GeoBox {
  readonly west: number
  readonly south: number
  /** Less than `west` if the box crosses the antimeridian. */
  readonly east: number
  readonly north: number
}

export interface GeoGrid extends GeoBox {
  readonly columns: number
  readonly rows: number
}

/** The number of columns or rows of a grid. */
export const GEO_GRID_MAX_SIDE = 512

export function crossesAntimeridian({ west, east }: GeoGrid): boolean {
  return west > east
}

/** Returns the width of a grid in degrees. */
export function gridWidth(grid: GeoGrid): number {
  return grid.east - grid.west + (crossesAntimeridian(grid) ? 360 : 0)
}

/**
 * Returns the number of the cell that contains a position, counted from the south-west, row by row;
 * undefined outside of the grid. A position between two cells belongs to the eastern or northern one.
 */
export function gridCell(grid: GeoGrid, longitude: number, latitude: number): number | undefined {
  const { west, south, east, north, columns, rows } = grid
  const crosses = crossesAntimeridian(grid)
  const isWithin = crosses
    ? longitude >= west || longitude <= east
    : longitude >= west && longitude <= east
  if (!isWithin || !(latitude >= south && latitude <= north)) return undefined
  const fromWest = longitude - west + (crosses && longitude < west ? 360 : 0)
  const column = Math.floor((fromWest * columns) / gridWidth(grid))
  const row = Math.floor(((latitude - south) * rows) / (north - south))
  // The last column and the last row include their outer edges.
  return Math.min(row, rows - 1) * columns + Math.min(column, columns - 1)
}

/** Returns the edges of a cell as JSON. */
export function cellJson(grid: GeoGrid, cell: number): string {
  const { south, north, columns, rows } = grid
  const [column, row] = [cell % columns, Math.floor(cell / columns)]
  return JSON.stringify({
    west: meridian(grid, column),
    south: parallel(row),
    east: meridian(grid, column + 1),
    north: parallel(row + 1),
  })

  function parallel(number: number): number {
    return number === rows ? north : south + ((north - south) * number) / rows
  }
}

function meridian(grid: GeoGrid, number: number): number {
  if (number === grid.columns) return grid.east
  const longitude = grid.west + (gridWidth(grid) * number) / grid.columns
  return longitude > 180 ? longitude - 360 : longitude
}
