/** The number of objects in each cell of a grid on the map. */

import { queryOptions } from '@tanstack/react-query'
import type { Service } from '../api/service.ts'
import { aggregate, COUNT, countedKey, staleTimeOf } from '../queries/aggregate.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Grid } from './camera.ts'

export interface GeoCell {
  /** The middle of the cell, in degrees. */
  readonly longitude: number
  readonly latitude: number
  readonly count: number
}

type CellGroup = Readonly<Record<'west' | 'south' | 'east' | 'north', number>>

export function geoCellsQuery(service: Service, of: TypeView, property: string, grid: Grid) {
  return queryOptions({
    queryKey: ['cells', property, grid, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<readonly GeoCell[]> => {
      const [west, south, east, north] = grid.box
      const { columns, rows } = grid
      const area = { west, south, east, north }
      const groupBy = [{ type: 'geoGrid', field: property, box: area, columns, rows }]
      const { data } = await aggregate(service, of, { aggregation: [COUNT], groupBy }, signal)
      return data.map(({ group, metrics }) => {
        const cell = group[property] as CellGroup
        return {
          longitude: (cell.west + cell.east) / 2,
          latitude: (cell.south + cell.north) / 2,
          count: Number(metrics[0]?.value ?? 0),
        }
      })
    },
    staleTime: staleTimeOf(of),
  })
}
