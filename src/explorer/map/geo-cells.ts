/** The number of objects in each cell of a grid on the map, and the colours of the cells. */

import { queryOptions } from '@tanstack/react-query'
import type { Service } from '../api/service.ts'
import { aggregateWhere, COUNT, countedKey, type Group, staleTimeOf } from '../queries/aggregate.ts'
import { type JsonConditions, whereOf } from '../view/compile-filters.ts'
import { fieldOf } from '../view/paths.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Box } from '../view/view-state.ts'
import type { Grid } from './camera.ts'
import { type ColourScale, colourOfNumber, valueCondition } from './colours.ts'

export interface GeoCell {
  /** The middle of the cell, in degrees. */
  readonly longitude: number
  readonly latitude: number
  /** From one side to the other, in degrees. */
  readonly width: number
  readonly count: number
  /** Its place in the palette. */
  readonly colour: number
}

/** Returns the grouping of an aggregation by the cells of a grid. */
export function gridGrouping(
  field: string,
  { box: [west, south, east, north], columns, rows }: Grid,
) {
  return { type: 'geoGrid', field, box: { west, south, east, north }, columns, rows }
}

/** Returns the box of a cell in an answer. */
export function boxOfCell(cell: unknown): Box {
  const { west, south, east, north } = cell as Readonly<
    Record<'west' | 'south' | 'east' | 'north', number>
  >
  return [west, south, east, north]
}

export function geoCellsQuery(
  service: Service,
  of: TypeView,
  property: string,
  grid: Grid,
  scale?: ColourScale,
) {
  return queryOptions({
    queryKey: ['cells', property, grid, scale, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<readonly GeoCell[]> => {
      const groupBy = [gridGrouping(property, grid)]
      const ask = async (
        within: readonly JsonConditions[] = [],
        metrics: readonly object[] = [],
      ) => {
        const body = { where: whereOf(of, within), aggregation: [COUNT, ...metrics], groupBy }
        return (await aggregateWhere(service, of, body, signal)).data
      }
      const colours = scale === undefined ? () => 0 : await coloursOfCells(of, scale, ask)
      const average = scale?.kind === 'numbers' ? [averageOf(scale)] : []
      const cells = await ask([], average)
      return cells.map((cell) => {
        const [west, south, east, north] = boxOfCell(cell.group[property])
        return {
          longitude: (west + east) / 2,
          latitude: (south + north) / 2,
          width: east - west,
          count: countIn(cell),
          colour: colours(cell, JSON.stringify(cell.group)),
        }
      })
    },
    staleTime: staleTimeOf(of),
  })
}

type AskCells = (
  within?: readonly JsonConditions[],
  metrics?: readonly object[],
) => Promise<readonly Group[]>

const AVERAGE = 'average'

function averageOf({ path }: ColourScale) {
  return { type: 'avg', name: AVERAGE, field: fieldOf(path) }
}

function countIn({ metrics }: Group): number {
  return Number(metrics[0]?.value ?? 0)
}

/** Returns the colour of a cell: that of its average, or of the value that most of its objects have. */
async function coloursOfCells(
  of: TypeView,
  scale: ColourScale,
  ask: AskCells,
): Promise<(cell: Group, place: string) => number> {
  if (scale.kind === 'numbers') {
    return ({ metrics }) => {
      const value = metrics.find(({ name }) => name === AVERAGE)?.value
      return colourOfNumber(scale.steps, Number(value ?? Number.NaN))
    }
  }
  const counts = await Promise.all(
    scale.values.map(async (value) => {
      const cells = await ask(valueCondition(of, scale.path, value))
      return new Map(cells.map((cell) => [JSON.stringify(cell.group), countIn(cell)]))
    }),
  )
  return (cell, place) => {
    const own = counts.map((each) => each.get(place) ?? 0)
    const others = countIn(cell) - own.reduce((sum, count) => sum + count, 0)
    const all = [...own, others]
    return all.indexOf(Math.max(...all))
  }
}
