import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Service } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import {
  type Extent,
  type NumberStyle,
  numberStyle,
  propertiesStyledByValues,
  type StyledType,
} from '../ui/format-value.ts'
import type { TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { aggregate } from './aggregate.ts'

/**
 * Returns the style of each property. The values are read if `canRead` is true; otherwise they count
 * only if another screen has read them.
 */
export function useNumberStyles(
  of: StyledType & Partial<TypeView>,
  { canRead }: { readonly canRead: boolean },
): (property: string) => NumberStyle {
  const { service } = useSession()
  const { ontology, objectType } = of
  const isNeeded = propertiesStyledByValues(of).length > 0
  const { data } = useQuery({ ...extentsQuery(service, of), enabled: canRead && isNeeded })
  return useCallback(
    (property) => numberStyle({ ontology, objectType }, property, data?.get(property)),
    [ontology, objectType, data],
  )
}

/** Reads the style of a property: its values are read only if they decide. */
export async function readStyle(
  client: QueryClient,
  service: Service,
  of: TypeView,
  property: string,
): Promise<NumberStyle> {
  if (!propertiesStyledByValues(of).includes(property)) return numberStyle(of, property)
  const extents = await client.ensureQueryData(extentsQuery(service, of)).catch(() => undefined)
  return numberStyle(of, property, extents?.get(property))
}

/** A style that changed while a table is read would confuse more than it helps. */
const STALE_MS = 30 * 60_000

/** Reads the extents of all numbers of a type, whatever the view shows of them. */
function extentsQuery(service: Service, of: StyledType & Partial<TypeView>) {
  const { isSnapshot } = of.view ?? EMPTY_VIEW
  const all = { ...of, view: { ...EMPTY_VIEW, isSnapshot } }
  const names = propertiesStyledByValues(of)
  return queryOptions({
    queryKey: ['extents', of.objectType.rid, names],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Extent>> => {
      const aggregation = names.flatMap((field) =>
        (['min', 'max'] as const).map((type) => ({ type, name: `${type} ${field}`, field })),
      )
      const body = { aggregation, groupBy: [] }
      const { data } = await aggregate(service, all, body, signal)
      const values = new Map(data[0]?.metrics.map(({ name, value }) => [name, value]))
      return new Map(
        names.flatMap((field): readonly (readonly [string, Extent])[] => {
          const [min, max] = [values.get(`min ${field}`), values.get(`max ${field}`)]
          const isKnown = min !== undefined && max !== undefined
          return isKnown ? [[field, [Number(min), Number(max)]]] : []
        }),
      )
    },
    staleTime: STALE_MS,
    gcTime: STALE_MS,
  })
}
