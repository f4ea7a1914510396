import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { pageRequest } from '../queries/page-request.ts'
import { type TableRows, tableRows } from '../queries/table-rows.ts'
import { Walk, type WalkState } from '../queries/walk.ts'
import { useSession } from '../session/session.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { RowWindow } from './scroll-space.ts'

export const PAGE_SIZE = 1000

/** Rows before the end of what was read at which the next page is requested. */
export const READ_AHEAD = 200

export interface ViewWalk {
  readonly walk: Walk
  readonly state: WalkState
  readonly rows: TableRows
  /** The walk from the end, once the reader went there. */
  readonly end: Walk | undefined
  /** Reads the last rows without those before them. */
  readonly readEnd: () => void
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
  const topic = JSON.stringify([view.filters, view.unread, view.text, view.box, view.order])
  const walkKey = JSON.stringify([objectType.rid, topic, view.isSnapshot, restarts])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains all that matters
  const { walk, createEnd } = useMemo(() => {
    const createWalk = (isReversed: boolean) => {
      const requestOf = (pageToken: string | undefined) => {
        const paging = { pageSize: PAGE_SIZE, pageToken, isReversed }
        return pageRequest({ ontology, objectType, view }, paging)
      }
      return new Walk({ connection: service.connection, requestOf })
    }
    return { walk: createWalk(false), createEnd: () => createWalk(true) }
  }, [walkKey, service])
  useEffect(() => {
    void walk.loadNext()
    return () => walk.stop()
  }, [walk])
  const state = useSyncExternalStore(walk.subscribe, walk.getState)
  const [reversed, setReversed] = useState<{ readonly of: Walk; readonly end: Walk }>()
  const end = reversed?.of === walk ? reversed.end : undefined
  useEffect(() => {
    void end?.loadNext()
    return () => end?.stop()
  }, [end])
  const endState = useSyncExternalStore(end?.subscribe ?? never, end?.getState ?? walk.getState)
  const readEnd = useCallback(
    () => setReversed((last) => (last?.of === walk ? last : { of: walk, end: createEnd() })),
    [walk, createEnd],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the states say what was read
  const rows = useMemo(() => tableRows(walk, end), [walk, end, state, endState])
  const last = useRef<ViewWalk>(undefined)
  const isWaiting = state.pages.length === 0 && (state.isLoading || state.error === undefined)
  if (isWaiting && last.current !== undefined) return { ...last.current, isStale: true }
  const current = { walk, state, rows, end, readEnd, topic, isStale: false }
  if (state.pages.length > 0) last.current = current
  return current
}

/** There is no walk from the end to listen to. */
const never = () => () => {}

/** Asks for the next page of a walk before the reader reaches the end of what it has read. */
export function useReadAhead(
  { walk, state, rows: table, end }: ViewWalk,
  { first, end: last }: RowWindow,
) {
  useEffect(() => {
    const isNear = (row: number) => first < row + READ_AHEAD && last >= row - READ_AHEAD
    const { gap, hasEnd } = table
    const { error, isLoading } = state
    const reachesStart = hasEnd ? gap !== undefined && isNear(gap.first) : isNear(state.rowCount)
    if (reachesStart && error === undefined && !isLoading) void walk.loadNext()
    if (gap !== undefined && isNear(gap.end) && end?.getState().error === undefined) {
      void end?.loadNext()
    }
  }, [first, last, state, table, walk, end])
}
