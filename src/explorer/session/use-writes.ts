/** The last change, which can be undone, and how screens learn of writes. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { meQuery, messageOf, type Service } from '../api/service.ts'
import { useTask } from '../ui/hooks.ts'
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
const KEPT: readonly unknown[] = ['me', 'ontologies', 'definition', ...LAST_CHANGE, ...WRITES]

/** A value of this tab, kept with the answers of the service. */
function useKept<Value>(queryKey: readonly string[], first: Value): Value {
  const options = { queryKey, queryFn: () => first, enabled: false, initialData: first as never }
  return useQuery<Value>(options).data ?? first
}

/** The last change of this tab; null after it was undone or dismissed. */
export function useLastChange() {
  const client = useQueryClient()
  const setLastChange = useCallback(
    (change: LastChange | null) => client.setQueryData(LAST_CHANGE, change),
    [client],
  )
  return { lastChange: useKept<LastChange | null>(LAST_CHANGE, null), setLastChange }
}

/** The number of writes of this tab. A walk that shows the latest objects restarts after each. */
export const useWriteCount = () => useKept(WRITES, 0)

/** Returns a function that reads again all that a write can have changed. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => {
    client.setQueryData<number>(WRITES, (count = 0) => count + 1)
    return client.invalidateQueries({ predicate: ({ queryKey }) => !KEPT.includes(queryKey[0]) })
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

/** Returns a function that shows a change as the last one, and reads again what it changed. */
export function useRecord(): (change: LastChange) => void {
  const { setLastChange } = useLastChange()
  const refresh = useRefresh()
  return (change) => {
    setLastChange(change)
    void refresh()
  }
}

/** Returns a function that reads the types of an ontology again. */
export function useRefreshTypes(): (ontology: string) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    async (ontology) => {
      const invalidate = (...queryKey: string[]) => client.invalidateQueries({ queryKey })
      await Promise.all([invalidate('ontologies'), invalidate('definition', ontology)])
    },
    [client],
  )
}

/** The last change of this tab, and what takes it back. */
export function useUndo() {
  const { service } = useSession()
  const { lastChange: change, setLastChange } = useLastChange()
  const refresh = useRefresh()
  const { run, isBusy, error } = useTask()
  const [tried, setTried] = useState<LastChange | null>(null)
  const undo = () =>
    run(async () => {
      setTried(change)
      const text = await change?.undo?.(service)
      setLastChange(text === undefined ? null : { text })
      await refresh()
    })
  return {
    change,
    /** Why it could not be taken back. */
    failure: error && tried === change ? messageOf(error) : undefined,
    isUndoing: isBusy,
    undo,
    dismiss: () => setLastChange(null),
  }
}
