/** The single objects on a map, where there are few. */

import { queryOptions } from '@tanstack/react-query'
import type { ObjectRecord } from '../api/records.ts'
import type { Service } from '../api/service.ts'
import { readRecords } from '../queries/read-records.ts'
import { conditionsOf } from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Box } from '../view/view-state.ts'
import { intersect } from './camera.ts'

/** Few enough objects to show each of them. */
export const MOST_POINTS = 400

/** Reads the objects in a box, which must be few. */
export function pointsQuery(service: Service, of: TypeView, area: Box) {
  const { filters, text, box } = of.view
  const within = box === undefined ? area : intersect(box, area)
  return queryOptions({
    queryKey: ['points', of.objectType.rid, filters, text, within],
    queryFn: ({ signal }): Promise<readonly ObjectRecord[]> => {
      const conditions = conditionsOf({ filters, text, box: within }, of.objectType, 'v2')
      return readRecords(service, of, { conditions, order: [] }, { pageSize: MOST_POINTS, signal })
    },
  })
}
