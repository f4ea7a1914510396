/** Where the objects of a type are, coarse enough for a card. */
import { queryOptions } from '@tanstack/react-query'
import type { Send } from '../api/call.ts'
import { aggregate, type FacetOf } from '../facets/facet-query.ts'

const COLUMNS = 120
const ROWS = 60

interface Cell {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export interface MiniCell {
  readonly longitude: number
  readonly latitude: number
  readonly count: number
}

/** Returns the centres of the cells that contain objects. */
export function miniCellsQuery(send: Send, of: FacetOf, property: string) {
  return queryOptions({
    queryKey: ['mini cells', of.objectType.rid, property],
    queryFn: async ({ signal }): Promise<readonly MiniCell[]> => {
      const box = { west: -180, south: -90, east: 180, north: 90 }
      const grid = { type: 'geoGrid', field: property, box, columns: COLUMNS, rows: ROWS }
      const request = { aggregation: [{ type: 'count', name: 'count' }], groupBy: [grid] }
      const { data } = await aggregate(send, of, request, signal)
      return data.map(({ group, metrics }) => {
        const { west, south, east, north } = group[property] as Cell
        return {
          longitude: (west + east) / 2,
          latitude: (south + north) / 2,
          count: Number(metrics[0]?.value ?? 0),
        }
      })
    },
  })
}
