import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { Walk, type WalkState } from '../api/walk.ts'
import { useSession } from '../shell/session.tsx'
import { chooseRevision, type PageOf, pageRequest } from '../view/page-request.ts'
import type { ApiRevision } from '../view/view-state.ts'

export const PAGE_SIZE = 1000

export interface ViewWalk {
  readonly walk: Walk
  readonly state: WalkState
  readonly revision: ApiRevision
}

/** Walks through the pages of a view. Another question starts another walk. */
export function useWalk({ ontology, objectType, view }: PageOf, restarts: number): ViewWalk {
  const { send } = useSession()
  const revision = chooseRevision(view)
  const question = JSON.stringify([
    objectType.rid,
    view.filters,
    view.text,
    view.box,
    view.order,
    view.isSnapshot,
    revision,
    restarts,
  ])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question contains all that matters
  const walk = useMemo(() => {
    const requestOf = (pageToken: string | undefined) =>
      pageRequest({ ontology, objectType, view }, revision, { pageSize: PAGE_SIZE, pageToken })
    return new Walk({ send, objectType, requestOf })
  }, [question, send])
  useEffect(() => {
    void walk.loadNext()
    return () => walk.stop()
  }, [walk])
  const state = useSyncExternalStore(walk.subscribe, walk.getState)
  return { walk, state, revision }
}
