/** The last change, which can be undone, and how screens learn of writes. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { meQuery, messageOf, type Service } from '../api/service.ts'
import { useSession } from './session.tsx'

/** True if the caller may write objects; false until that is known. */
export const useCanWrite = () => useHasScope('api:ontologies-write') ?? false

/** The last change of this tab, or the news that it was taken back. */
export interface LastChange {
  /** What was written, as a sentence. */
  readonly text: string
  /**
   * Takes it back; returns what the user should know about it, as a sentence. Undefined if there is
   * nothing to take back.
   */
  readonly undo?: (service: Service) => Promise<string | undefined>
  /** Called when it can no longer be taken back. */
  readonly release?: () => void
}

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
  const { data } = useQuery<LastChange | null>({
    queryKey: LAST_CHANGE,
    queryFn: () => null,
    enabled: false,
    initialData: null,
  })
  const setLastChange = useCallback(
    (change: LastChange | null) => client.setQueryData(LAST_CHANGE, change),
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

/** True if the caller may do what a scope allows. */
function useHasScope(scope: string): boolean | undefined {
  return useCaller()?.scopes.includes(scope)
}

/** True if the caller may administer the service. */
export function useIsAdmin(): boolean | undefined {
  const hasScope = useHasScope('api:admin')
  // The service refuses administration to tokens that are limited to ontologies.
  const isLimited = useCaller()?.ontologies !== undefined
  return hasScope && !isLimited
}

function useCaller() {
  const { service, isSignedIn } = useSession()
  return useQuery({ ...meQuery(service), enabled: isSignedIn }).data
}

export interface Undo {
  readonly change: LastChange | null
  /** Why it could not be taken back. */
  readonly failure: string | undefined
  readonly isUndoing: boolean
  readonly undo: () => Promise<void>
  readonly dismiss: () => void
}

/** The last change of this tab, and what takes it back. */
export function useUndo(): Undo {
  const { service } = useSession()
  const { lastChange: change, setLastChange } = useLastChange()
  const refresh = useRefresh()
  const [failure, setFailure] = useState<{
    readonly change: LastChange | null
    readonly message: string
  }>()
  const [isUndoing, setUndoing] = useState(false)
  const undo = async () => {
    setFailure(undefined)
    setUndoing(true)
    try {
      const text = await change?.undo?.(service)
      setLastChange(text === undefined ? null : { text })
      await refresh()
    } catch (error) {
      setFailure({ change, message: messageOf(error) })
    } finally {
      setUndoing(false)
    }
  }
  return {
    change,
    failure: failure?.change === change ? failure?.message : undefined,
    isUndoing,
    undo,
    dismiss: () => setLastChange(null),
  }
}
