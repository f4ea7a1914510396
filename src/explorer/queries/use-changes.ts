/** How screens follow what changes: only while somebody looks at them. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { ObjectRecord } from '../api/ontology.ts'
import { statusOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { changesOf } from '../view/differences.ts'
import type { TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { Changes, type ChangesState, NO_CHANGES } from './changes.ts'
import { type ObjectAddress, objectQuery } from './object-queries.ts'
import type { WalkPage } from './walk.ts'

/** Follows what changes in a view after its first page was read. */
export function useViewChanges(of: TypeView, first: WalkPage | undefined): Changes | undefined {
  const { background } = useSession()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another first page
  const changes = useMemo(
    () => first && new Changes({ service: background, of, version: first.version }),
    [first],
  )
  useFollowing(changes)
  return changes
}

export function useChangesState(changes: Changes | undefined): ChangesState {
  return useSyncExternalStore(
    changes?.subscribe ?? subscribeToNothing,
    changes?.getState ?? (() => NO_CHANGES),
  )
}

const subscribeToNothing = () => () => {}

/** A tab that nobody sees asks for nothing. When it is seen again, it catches up. */
function useFollowing(changes: Changes | undefined): void {
  const isSeen = useSyncExternalStore(listenForVisibility, isVisible)
  useEffect(() => {
    if (changes === undefined || !isSeen) return
    const looking = new AbortController()
    void changes.follow(looking.signal)
    return () => looking.abort()
  }, [changes, isSeen])
}

const isVisible = () => document.visibilityState === 'visible'

function listenForVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** The list that an object is shown beside. */
export interface ListBeside {
  /** Its changes, which tell of the object, too; undefined until the list is read. */
  readonly changes: Changes | undefined
}

/**
 * Reads an object, and reads it again when it changes. The object is followed by itself, unless the
 * list beside it is followed.
 */
export function useLiveObject(address: ObjectAddress, list?: ListBeside) {
  const { service, background } = useSession()
  const { ontology, objectType, key } = address
  const query = useQuery(objectQuery(service, address))
  const { data, error, refetch } = query
  const ofList = useChangesState(list?.changes)
  const isAlone = list === undefined || list.changes?.hasEnded === true
  const isLoaded = data !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: followed from the state that was read first
  const ofObject = useMemo(() => {
    if (!isAlone || !isLoaded) return undefined
    const filter = { field: objectType.primaryKey, operator: 'eq', value: key } as const
    const of = { ontology, objectType, view: { ...EMPTY_VIEW, filters: [filter] } }
    return new Changes({ service: background, of, version: data.version })
  }, [background, objectType.rid, key, isAlone, isLoaded])
  useFollowing(ofObject)
  const ofObjectState = useChangesState(ofObject)
  const change = (isAlone ? ofObjectState : ofList).changed.get(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time at which the key was shown
  const shownAtMs = useMemo(() => Date.now(), [key])
  useEffect(() => {
    // What changed before was read by the first request.
    if (change !== undefined && change.receivedAtMs >= shownAtMs) void refetch()
  }, [change, shownAtMs, refetch])
  return {
    ...query,
    /** True if it has been deleted since it was read. */
    isDeleted: isLoaded && statusOf(error) === 404,
    /** The properties that have just changed. */
    changed: useChangedProperties(address, data?.record),
  }
}

/** How long a change is marked. */
const MARK_MS = 5000

const NONE: ReadonlySet<string> = new Set()

function useChangedProperties(
  { objectType }: ObjectAddress,
  record: ObjectRecord | undefined,
): ReadonlySet<string> {
  const [changed, setChanged] = useState(NONE)
  const last = useRef<ObjectRecord>(undefined)
  useEffect(() => {
    const before = last.current
    last.current = record
    if (before === record || before?.key !== record?.key) return
    const different = changesOf(objectType, before?.properties ?? {}, record?.properties ?? {})
    setChanged(new Set(different.map(({ property }) => property)))
    const timer = setTimeout(() => setChanged(NONE), MARK_MS)
    return () => {
      clearTimeout(timer)
      setChanged(NONE)
    }
  }, [objectType, record])
  return changed
}
