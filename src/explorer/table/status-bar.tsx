/** The status bar: where the reader is, and what each page cost. */
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { countOf } from '../../contract/count-of.ts'
import type { Observable } from '../api/observable.ts'
import { meQuery } from '../api/queries.ts'
import type { WalkPage, WalkState } from '../queries/walk.ts'
import { useSession } from '../session/session.tsx'
import { formatBytes, formatCount, formatCountdown } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'
import { PageBars } from './page-bars.tsx'
import type { ViewWalk } from './use-walk.ts'

export interface StatusBarProps {
  readonly walk: ViewWalk
  readonly topRow: Observable<number>
  readonly isSnapshot: boolean
  readonly onJump: (row: number) => void
}

export function StatusBar(props: StatusBarProps) {
  const { walk, state, revision } = props.walk
  const topRow = useSyncExternalStore(props.topRow.subscribe, props.topRow.get)
  const { pages, rowCount, totalCount, isComplete } = state
  const page = walk.pageAt(topRow)
  const last = pages.at(-1)
  return (
    <section
      className="flex flex-none items-center gap-4 h-7.5 py-0 px-3 border-t border-t-line bg-panel text-muted text-sm tabular-nums whitespace-nowrap overflow-hidden max-[700px]:justify-between"
      aria-label="Pages"
    >
      <span className="text-ink">
        row {formatCount(rowCount === 0 ? 0 : topRow + 1)}
        {page !== undefined && ` · page ${formatCount(page.index + 1)}`}
        {` · ${formatCount(rowCount)} read`}
        {totalCount === undefined ? '' : ` of ${formatCount(totalCount)}`}
      </span>
      <PageBars pages={pages} current={page?.index} onJump={props.onJump} />
      {page !== undefined && (
        <span className="max-[700px]:hidden">
          {countOf(page.count, 'object')} · {formatBytes(page.byteLength)} · {timeOf(page)}
        </span>
      )}
      {last !== undefined && (
        <span>
          {isComplete ? (
            'all pages read'
          ) : (
            <TokenLife state={state} isSnapshot={props.isSnapshot} />
          )}
        </span>
      )}
      <span className="ml-auto max-[700px]:hidden">{NAMES[revision]}</span>
    </section>
  )
}

const NAMES = { '1': 'revision 1.0', '2': 'revision 2.0', v2: 'v2' } as const

/** The time until the last byte, and the part of it that the service spent. */
function timeOf({ durationMs, serverMs }: WalkPage): string {
  const server =
    serverMs === undefined ? '' : ` (service ${serverMs.toFixed(serverMs < 10 ? 1 : 0)})`
  return `${Math.round(durationMs)} ms${server}`
}

interface TokenLifeProps {
  readonly state: WalkState
  readonly isSnapshot: boolean
}

/**
 * How long the next page can be read: as long as its token is valid. The token of a snapshot is
 * renewed when it has expired, so its walk ends with the snapshot.
 */
function TokenLife({ state, isSnapshot }: TokenLifeProps) {
  const { service } = useSession()
  const { data } = useQuery(meQuery(service))
  const now = useNow()
  const receivedAtMs = state.pages.at(-1)?.receivedAtMs
  if (data === undefined || receivedAtMs === undefined) return null
  const { maxAgeSeconds, snapshotMaxAgeSeconds } = data.pageTokens
  const endsAtMs = isSnapshot
    ? (state.startedAtMs ?? receivedAtMs) + 1000 * snapshotMaxAgeSeconds
    : receivedAtMs + 1000 * maxAgeSeconds
  const name = isSnapshot ? 'snapshot' : 'next token'
  return <>{endsAtMs <= now ? `${name} expired` : `${name} ${formatCountdown(endsAtMs - now)}`}</>
}
