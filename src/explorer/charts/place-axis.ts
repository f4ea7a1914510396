/** Finds the cells of a map that objects are in, as fine as suits the part of the world with objects. */
import { boundsOfBoxes, fitBox, type Grid, gridOf, type Point, WORLD } from '../map/camera.ts'
import { boxOfCell, gridGrouping } from '../map/geo-cells.ts'
import { cityFinder, loadCities } from '../map/world.ts'
import { COUNT } from '../queries/aggregate.ts'
import type { Dimension } from '../view/chart-state.ts'
import { fieldOf } from '../view/paths.ts'
import type { Box } from '../view/view-state.ts'
import type { Ask, AxisOptions, Bucket, Shown, Slice } from './axis.ts'

/** The shape of the map, and pixels of a cell. */
const SIZE: Point = [960, 480]
const CELL = 12
/** How often the part of the world is narrowed: from a continent to a country, and to a city. */
const ROUNDS = 2

export async function placeAxis({ path }: Dimension, { ask }: AxisOptions): Promise<Shown> {
  const field = fieldOf(path)
  const cityIn = cityFinder(await loadCities())
  let grid = gridOf(fitBox(WORLD, SIZE), SIZE, CELL)
  let boxes = await filledCells(ask, field, grid)
  for (let round = 0; round < ROUNDS && boxes.length > 0; round += 1) {
    const finer = gridOf(fitBox(boundsOfBoxes(boxes), SIZE), SIZE, CELL)
    if (finer.box.join() === grid.box.join()) break
    grid = finer
    boxes = await filledCells(ask, field, grid)
  }
  const common = { kind: 'places', ticks: [], note: undefined } as const
  if (boxes.length === 0) return { ...common, buckets: [], slices: [] }
  const buckets = boxes.map((box): Bucket => {
    const city = cityIn(box)
    const label = city === undefined ? describeCell(box) : `${city}, ${describeCell(box)}`
    return { label, kind: 'value', filters: [], box }
  })
  const places = new Map(boxes.map((box, index) => [box.join(), index]))
  const slice: Slice = {
    within: [],
    groupBy: gridGrouping(field, grid),
    placeOf: (group) => places.get(boxOfCell(group[field]).join()) ?? Number.NaN,
  }
  return { ...common, buckets, slices: [slice] }
}

/** Returns the cells with objects, those with most of them first. */
async function filledCells(ask: Ask, field: string, grid: Grid): Promise<readonly Box[]> {
  const aggregation = [{ ...COUNT, direction: 'DESC' }]
  const { data } = await ask({ aggregation, groupBy: [gridGrouping(field, grid)] })
  return data.map(({ group }) => boxOfCell(group[field]))
}

/** Returns a cell as a map names it: `47°–48° N, 8°–9° E`. */
function describeCell([west, south, east, north]: Box): string {
  return `${describeRange(south, north, 'N', 'S')}, ${describeRange(west, east, 'E', 'W')}`
}

function describeRange(from: number, to: number, positive: string, negative: string): string {
  const degrees = (value: number) => `${Number(Math.abs(value).toFixed(3))}°`
  return from < 0
    ? `${degrees(to)}–${degrees(from)} ${negative}`
    : `${degrees(from)}–${degrees(to)} ${positive}`
}
