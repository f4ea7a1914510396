/**
 * The note after the last row: why the walk stopped, and how to continue. Rows that were read stay
 * in every case.
 */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { isExpired, OqsError } from '../../client/oqs-error.ts'
import { isRetryable } from '../../client/retry.ts'
import { formatCount } from '../../contract/count-of.ts'
import { waitMs } from '../api/load-part.ts'
import { messageOf, statusOf } from '../api/service.ts'
import { countQuery } from '../queries/aggregate.ts'
import { useSession } from '../session/session.tsx'
import { Button, ErrorNote } from '../ui/controls.tsx'
import { useNow } from '../ui/hooks.ts'
import { describeFilter } from '../view/operators.ts'
import { widerTexts } from '../view/search-text.ts'
import { useObjects } from './use-objects.ts'
import { READ_AHEAD, type ViewWalk } from './use-walk.ts'

export function WalkNotice() {
  const { walk, view } = useObjects()
  const { error, rowCount, isComplete, continuedAt } = walk.state
  const dueAtMs = useResume(walk)
  if (error === undefined) {
    if (isComplete && rowCount === 0) return <NoMatch />
    return (
      <>
        {continuedAt !== undefined && view.isSnapshot && <LaterSnapshot after={continuedAt} />}
        <EndNotice />
      </>
    )
  }
  // The dialog for signing in is shown over every screen.
  if (statusOf(error) === 401) {
    return (
      <Notice tone="warn">
        <p>Sign in again to read on. {keptRows(rowCount)}</p>
      </Notice>
    )
  }
  if (isRetryable(error)) return <Outage dueAtMs={dueAtMs} />
  const name = error instanceof OqsError ? error.errorName : undefined
  if (name === 'InvalidPageToken') return <Expired />
  return <ErrorNote error={error} onRetry={() => void walk.walk.loadNext()} />
}

const BAND = 'py-2 px-3 border-t border-t-line border-l-3'

const TONES = {
  warn: `${BAND} border-l-warn bg-raised`,
  snapshot: `${BAND} border-l-snapshot bg-snapshot-bg`,
  // In place of the rows that do not exist.
  empty:
    'absolute top-16 inset-x-4 py-2 px-3 justify-center *:[p]:basis-full *:[p]:mb-1 *:[p]:text-muted *:[p]:text-lg *:[p]:leading-5.5 *:[p]:text-center',
} as const

function Notice({ tone, children }: { readonly tone: keyof typeof TONES; children: ReactNode }) {
  return (
    <div
      className={`flex flex-wrap items-center gap-2 text-base leading-5 ${TONES[tone]}`}
      role="status"
    >
      {children}
    </div>
  )
}

function keptRows(rowCount: number): string {
  return rowCount === 0 ? '' : `The ${formatCount(rowCount)} rows that were read stay.`
}

/** Says that the table has rows of two snapshots. */
function LaterSnapshot({ after }: { readonly after: number }) {
  return (
    <Notice tone="warn">
      <p>
        The rows after the first {formatCount(after)} are of a later snapshot. What was written in
        between can be missing.
      </p>
    </Notice>
  )
}

/** Says where the rows from the end belong, and where there are none yet. */
function EndNotice() {
  const { walk, view, topRow, grid } = useObjects()
  const { state, end, rows } = walk
  const top = useSyncExternalStore(topRow.subscribe, topRow.get)
  const { error, pages } = end?.getState() ?? {}
  if (error !== undefined) return <ErrorNote error={error} onRetry={() => void end?.loadNext()} />
  const { gap } = rows
  if (gap !== undefined && top > gap.first + READ_AHEAD && top < gap.end - READ_AHEAD) {
    const goTo = (row: number) => () => grid.current?.goTo({ row, column: 0 })
    return (
      <Notice tone="warn">
        <p>
          The rows {formatCount(gap.first + 1)} to {formatCount(gap.end)} have not been read.
        </p>
        <Button onClick={goTo(gap.first - 1)}>Go back to row {formatCount(gap.first)}</Button>
        <Button onClick={goTo(gap.end)}>Go on to row {formatCount(gap.end + 1)}</Button>
      </Notice>
    )
  }
  const isOther = rows.hasEnd && pages?.[0]?.version !== state.pages[0]?.version
  if (!isOther || !view.isSnapshot) return null
  return <LaterSnapshot after={gap?.end ?? state.rowCount} />
}

function Expired() {
  const { walk, view, restart } = useObjects()
  const { pages, rowCount, startedAtMs, error } = walk.state
  // The token of a snapshot is renewed for as long as the snapshot can be read.
  const isGone = view.isSnapshot && isExpired(error)
  const taken = startedAtMs === undefined ? '' : ` of ${new Date(startedAtMs).toLocaleTimeString()}`
  return (
    <Notice tone={view.isSnapshot ? 'snapshot' : 'warn'}>
      <p>
        {isGone ? `The snapshot${taken} is gone.` : `Page ${pages.length + 1} expired.`}{' '}
        {keptRows(rowCount)}
      </p>
      <Button onClick={restart}>{view.isSnapshot ? 'Take a new snapshot' : 'Start again'}</Button>
      {walk.walk.canContinue() && (
        <Button onClick={() => void walk.walk.continueAsOfNow()}>
          Continue after {walk.walk.lastKey()}
        </Button>
      )}
    </Notice>
  )
}

function Outage({ dueAtMs }: { readonly dueAtMs: number | undefined }) {
  const { walk } = useObjects()
  const { error, rowCount } = walk.state
  const now = useNow()
  const seconds = dueAtMs === undefined ? 0 : Math.max(0, Math.ceil((dueAtMs - now) / 1000))
  return (
    <Notice tone="warn">
      <p>
        {messageOf(error)} {keptRows(rowCount)} Next attempt in {seconds} s.
      </p>
      <Button onClick={() => void walk.walk.loadNext()}>Try now</Button>
    </Notice>
  )
}

function NoMatch() {
  const { of, setView } = useObjects()
  const { filters, text, box } = of.view
  const isNarrow = filters.length > 0 || text !== '' || box !== undefined
  return (
    <Notice tone="empty">
      <p>{isNarrow ? 'No object matches.' : 'There are no objects of this type yet.'}</p>
      {text !== '' && <WiderSearch />}
      {filters.map((filter, index) => (
        <Button
          // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
          key={index}
          onClick={() => setView({ filters: filters.toSpliced(index, 1) })}
        >
          Drop {describeFilter(filter, of)}
        </Button>
      ))}
      {isNarrow && (
        <Button onClick={() => setView({ filters: [], text: '', box: undefined, unread: [] })}>
          Show all objects
        </Button>
      )}
    </Notice>
  )
}

/** Says how words match, and offers searches that find objects. */
function WiderSearch() {
  const { of } = useObjects()
  return (
    <>
      <p>Words must match as a whole, the last one as a beginning.</p>
      {widerTexts(of.view.text).map((wider) => (
        <WiderButton key={wider.does} {...wider} />
      ))}
    </>
  )
}

/** Offers a search that finds something. */
function WiderButton({ text, does }: { readonly text: string; readonly does: string }) {
  const { service } = useSession()
  const { counted, canCount, setView } = useObjects()
  const { data = 0 } = useQuery({
    ...countQuery(service, { ...counted, view: { ...counted.view, text } }),
    enabled: canCount,
  })
  if (data === 0) return null
  return (
    <Button onClick={() => setView({ text })}>
      Search for {does} ({formatCount(data)})
    </Button>
  )
}

/** Resumes a walk by itself when the service cannot be reached; returns when the next attempt is. */
function useResume({ walk, state, isStale }: ViewWalk): number | undefined {
  const [attempt, setAttempt] = useState(0)
  const [dueAtMs, setDueAtMs] = useState<number>()
  const { error, rowCount } = state
  // A page that arrived ends the outage; the rows of the last walk, shown meanwhile, do not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another walk may have as many rows
  useEffect(() => {
    if (rowCount > 0 && !isStale) setAttempt(0)
  }, [rowCount, walk, isStale])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error starts one wait
  useEffect(() => {
    if (!isRetryable(error)) {
      setDueAtMs(undefined)
      return
    }
    const ms = waitMs(attempt, error.retryAfterMs)
    setDueAtMs(Date.now() + ms)
    const timer = setTimeout(() => {
      setAttempt(attempt + 1)
      void walk.loadNext()
    }, ms)
    return () => clearTimeout(timer)
  }, [error, walk])
  return dueAtMs
}
