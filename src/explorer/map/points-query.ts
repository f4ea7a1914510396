/** The single objects on a map, where there are few. */

import { queryOptions } from '@tanstack/react-query'
import { parseBody, type Send } from '../api/call.ts'
import { type ObjectRecord, readRecord } from '../api/records.ts'
import { pageRequest } from '../data/page-request.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Box } from '../view/view-state.ts'
import { intersect } from './camera.ts'

/** Few enough objects to show each of them. */
export const MOST_POINTS = 400

/** Reads the objects in a box, which must be few. */
export function pointsQuery(send: Send, of: TypeView, area: Box) {
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
