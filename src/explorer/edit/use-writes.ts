/** The last change, which can be undone, and how screens learn of writes. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useHasScope } from '../shell/use-rights.ts'
import type { WrittenChange } from './write-object.ts'

/** True if the caller may write objects; false until that is known. */
export const useCanWrite = () => useHasScope('api:ontologies-write') ?? false

const LAST_CHANGE = ['last change']
const WRITES = ['writes']
/** The queries that a write does not invalidate. */
const KEPT: ReadonlySet<unknown> = new Set([
  'me',
  'ontologies',
  'definition',
  LAST_CHANGE[0],
  WRITES[0],
])

/** The last change of this tab; undefined after it was undone or dismissed. */
export function useLastChange() {
  const client = useQueryClient()
  const { data } = useQuery<WrittenChange | null>({
    queryKey: LAST_CHANGE,
    queryFn: () => null,
    enabled: false,
    initialData: null,
  })
  const setLastChange = useCallback(
    (change: WrittenChange | null) => client.setQueryData(LAST_CHANGE, change),
    [client],
  )
  return { lastChange: data, setLastChange }
}

/** The number of writes of this tab. A walk that shows the latest objects restarts after each. */
export function useWriteCount(): number {
  const { data } = useQuery({
    queryKey: WRITES,
    queryFn: () => 0,
    enabled: false,
    initialData: 0,
  })
  return data
}

/** Returns a function that reads again all that a write can have changed. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => {
    client.setQueryData<number>(WRITES, (count = 0) => count + 1)
    return client.invalidateQueries({ predicate: ({ queryKey }) => !KEPT.has(queryKey[0]) })
  }, [client])
}
