import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useSession } from '../session/session.tsx'
import type { NumberStyle } from '../ui/format-number.ts'
import { numberStyle, propertiesStyledByValues, type StyledType } from '../ui/number-style.ts'
import { extentsQuery } from './extents-query.ts'

/**
 * Returns the style of each property. The values are read if `canRead` is true; otherwise they count
 * only if another screen has read them.
 */
export function useNumberStyles(
  of: StyledType,
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
