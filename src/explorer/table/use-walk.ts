import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { chooseRevision, pageRequest } from '../queries/page-request.ts'
import { Walk, type WalkState } from '../queries/walk.ts'
import { useSession } from '../session/session.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { ApiRevision } from '../view/view-state.ts'

export const PAGE_SIZE = 1000

export interface ViewWalk {
  readonly walk: Walk
  readonly state: WalkState
  readonly revision: ApiRevision
  /** Identifies the rows and their order; without the version. */
  readonly topic: string
  /**
   * True while the rows are those of the previous query, until the first page of this one arrives.
   */
  readonly isStale: boolean
}

/** Walks through the pages of a view. Another query starts another walk. */
export function useWalk({ ontology, objectType, view }: TypeView, restarts: number): ViewWalk {
  const { service } = useSession()
  const revision = chooseRevision(view)
  const topic = JSON.stringify([view.filters, view.text, view.box, view.order])
  const walkKey = JSON.stringify([objectType.rid, topic, view.isSnapshot, revision, restarts])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains all that matters
  const walk = useMemo(() => {
    const requestOf = (pageToken: string | undefined, after: string | undefined) =>
      pageRequest({ ontology, objectType, view }, revision, {
        pageSize: PAGE_SIZE,
        pageToken,
        after,
      })
    return new Walk({ connection: service.connection, objectType, requestOf })
  }, [walkKey, service])
  useEffect(() => {
    void walk.loadNext()
    return () => walk.stop()
  }, [walk])
  const state = useSyncExternalStore(walk.subscribe, walk.getState)
  const last = useRef<ViewWalk>(undefined)
  const isWaiting = state.pages.length === 0 && (state.isLoading || state.error === undefined)
  if (isWaiting && last.current !== undefined) return { ...last.current, isStale: true }
  const current = { walk, state, revision, topic, isStale: false }
  if (state.pages.length > 0) last.current = current
  return current
}
