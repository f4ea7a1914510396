/** Objects on a map: counts per cell of a grid, and single objects where there are few. */
import { queryOptions } from '@tanstack/react-query'
import { parseBody, type Send } from '../api/call.ts'
import { type ObjectRecord, readRecord } from '../api/records.ts'
import { aggregate, type FacetOf } from '../facets/facet-query.ts'
import { pageRequest } from '../view/page-request.ts'
import type { Box } from '../view/view-state.ts'
import { type Grid, intersect } from './camera.ts'

export interface GeoCell {
  /** The middle of the cell, in degrees. */
  readonly longitude: number
  readonly latitude: number
  readonly count: number
}

interface CellGroup {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Few enough objects to show each of them. */
export const MOST_POINTS = 400

export function geoCellsQuery(send: Send, of: FacetOf, property: string, grid: Grid) {
  const { filters, text, box } = of.view
  return queryOptions({
    queryKey: ['cells', of.objectType.rid, property, filters, text, box, of.version, grid],
    queryFn: async ({ signal }): Promise<readonly GeoCell[]> => {
      const [west, south, east, north] = grid.box
      const { columns, rows } = grid
      const area = { west, south, east, north }
      const { data } = await aggregate(
        send,
        of,
        {
          aggregation: [{ type: 'count', name: 'count' }],
          groupBy: [{ type: 'geoGrid', field: property, box: area, columns, rows }],
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

/** Reads the objects in a box, which must be few. */
export function pointsQuery(send: Send, of: FacetOf, area: Box) {
  const { filters, text, box } = of.view
  const within = box === undefined ? area : intersect(box, area)
  return queryOptions({
    queryKey: ['points', of.objectType.rid, filters, text, within],
    queryFn: async ({ signal }): Promise<readonly ObjectRecord[]> => {
      const view = { ...of.view, box: within, order: [], isSnapshot: false }
      const request = pageRequest({ ...of, view }, 'v2', { pageSize: MOST_POINTS })
      const { data } = parseBody<{ readonly data: readonly unknown[] }>(await send(request, signal))
      return data.map((json) => readRecord(json, of.objectType))
    },
  })
}
