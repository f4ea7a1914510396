/** Objects on a map: counts per cell of a grid, over all objects that match the view. */
import { queryOptions } from '@tanstack/react-query'
import type { Send } from '../api/call.ts'
import { aggregate, type FacetOf } from '../facets/facet-query.ts'
import type { Box } from '../view/view-state.ts'

export interface GeoCell {
  /** The centre of the cell, in degrees. */
  readonly longitude: number
  readonly latitude: number
  readonly count: number
}

export const WORLD: Box = [-180, -90, 180, 90]
const COLUMNS = 180
const ROWS = 90

interface CellGroup {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export function geoCellsQuery(send: Send, of: FacetOf, property: string) {
  const { filters, text, box } = of.view
  return queryOptions({
    queryKey: ['cells', of.objectType.rid, property, filters, text, box],
    queryFn: async ({ signal }): Promise<readonly GeoCell[]> => {
      const [west, south, east, north] = box ?? WORLD
      const { data } = await aggregate(
        send,
        of,
        {
          aggregation: [{ type: 'count', name: 'count' }],
          groupBy: [
            {
              type: 'geoGrid',
              field: property,
              box: { west, south, east, north },
              columns: COLUMNS,
              rows: ROWS,
            },
          ],
        },
        signal,
      )
      return data.map(({ group, metrics }) => {
        const cell = group[property] as CellGroup
        return {
          longitude: (cell.west + cell.east) / 2,
          latitude: (cell.south + cell.north) / 2,
          count: Number(metrics[0]?.value ?? 0),
        }
      })
    },
  })
}
