/** The status bar: where the reader is; what each page cost is one click away. */

import { useQuery } from '@tanstack/react-query'
import { memo, useSyncExternalStore } from 'react'
import { countOf, formatCount } from '../../contract/count-of.ts'
import type { Observable } from '../api/observable.ts'
import { meQuery } from '../api/service.ts'
import type { WalkPage } from '../queries/walk.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { formatBytes, formatCountdown } from '../ui/format.ts'
import { useNow } from '../ui/hooks.ts'
import { ChangesBadge } from './changes-badge.tsx'
import { useObjects } from './use-objects.ts'

export function StatusBar() {
  const { walk: viewWalk, view, topRow: shownTopRow, cellNote } = useObjects()
  const topRow = useSyncExternalStore(shownTopRow.subscribe, shownTopRow.get)
  const { totalCount } = viewWalk.state
  const { readCount } = viewWalk.rows
  return (
    <section
      className="flex flex-none items-center gap-4 h-7.5 py-0 px-3 border-t border-t-line bg-panel text-muted text-sm tabular-nums whitespace-nowrap overflow-hidden max-[700px]:justify-between"
      aria-label="Pages"
    >
      {/* Charts and maps count all objects, not those whose rows were read. */}
      {view.layout === 'table' && (
        <span className="text-ink">
          row {formatCount(readCount === 0 ? 0 : topRow + 1)}
          {` · ${formatCount(readCount)} read`}
          {totalCount === undefined ? '' : ` of ${formatCount(totalCount)}`}
        </span>
      )}
      <ChangesBadge />
      <CellNote note={cellNote} />
      <span className="flex-1" />
      <Popup
        kind="quiet"
        className="min-h-6 px-1.5 text-muted text-sm"
        label="Details for developers"
        panelLabel="Details for developers"
      >
        {() => <DeveloperDetails topRow={topRow} />}
      </Popup>
    </section>
  )
}

/** Says which cells are selected, and that they were copied. */
function CellNote({ note }: { readonly note: Observable<string> }) {
  const text = useSyncExternalStore(note.subscribe, note.get)
  return (
    <span role="status" className="min-w-0 truncate max-[700px]:sr-only">
      {text}
    </span>
  )
}

/** What each page cost, and how long the next one can be read. */
function DeveloperDetails({ topRow }: { readonly topRow: number }) {
  const { walk, state } = useObjects().walk
  const { pages, isComplete } = state
  const page = walk.pageAt(topRow)
  return (
    <div className="grid gap-1.5 text-base leading-5">
      {page !== undefined && (
        <span>
          page {formatCount(page.index + 1)}: {countOf(page.count, 'object')},{' '}
          {formatBytes(page.byteLength)}, {timeOf(page)}
        </span>
      )}
      {pages.length > 0 && <span>{isComplete ? 'all pages read' : <TokenLife />}</span>}
      <PageBars pages={pages} current={page?.index} />
    </div>
  )
}

/** The time until the last byte, and the part of it that the service spent. */
function timeOf({ durationMs, serverMs }: WalkPage): string {
  const server =
    serverMs === undefined ? '' : ` (service ${serverMs.toFixed(serverMs < 10 ? 1 : 0)})`
  return `${Math.round(durationMs)} ms${server}`
}

/**
 * How long the next page can be read: as long as its token is valid. The token of a snapshot is
 * renewed when it has expired, so its walk ends with the snapshot.
 */
function TokenLife() {
  const { service } = useSession()
  const { walk, view } = useObjects()
  const { pages, startedAtMs } = walk.state
  const { isSnapshot } = view
  const { data } = useQuery(meQuery(service))
  const now = useNow()
  const receivedAtMs = pages.at(-1)?.receivedAtMs
  if (data === undefined || receivedAtMs === undefined) return null
  const { maxAgeSeconds, snapshotMaxAgeSeconds } = data.pageTokens
  const endsAtMs = isSnapshot
    ? (startedAtMs ?? receivedAtMs) + 1000 * snapshotMaxAgeSeconds
    : receivedAtMs + 1000 * maxAgeSeconds
  const name = isSnapshot ? 'snapshot' : 'next token'
  return <>{endsAtMs <= now ? `${name} expired` : `${name} ${formatCountdown(endsAtMs - now)}`}</>
}

const SHOWN_PAGES = 32
const HEIGHT = 16

interface PageBarsProps {
  readonly pages: readonly WalkPage[]
  readonly current: number | undefined
}

/** A bar for each page that was read, as high as it took. Pressing one shows what it cost. */
const PageBars = memo(function PageBars({ pages, current = 0 }: PageBarsProps) {
  // The page in view stays in the middle, as far as there are pages around it.
  const start = Math.max(0, Math.min(current - SHOWN_PAGES / 2, pages.length - SHOWN_PAGES))
  const shown = pages.slice(start, start + SHOWN_PAGES)
  const slowest = shown.reduce((most, { durationMs }) => Math.max(most, durationMs), 1)
  return (
    <span className="flex items-end h-5">
      {shown.map((page) => (
        <Popup
          key={page.index}
          kind="quiet"
          className="group items-end w-2 min-h-5 px-px pt-0 pb-0.5 rounded-xs"
          label={
            <i
              className={`w-full rounded-[1px] bg-accent group-hover:opacity-100 ${page.index === current ? '' : 'opacity-50'}`}
              style={{ height: `${Math.max(3, (HEIGHT * page.durationMs) / slowest)}px` }}
            />
          }
          aria-label={`Page ${page.index + 1}`}
          panelLabel={`Page ${page.index + 1}`}
        >
          {(close) => <PageDetails page={page} close={close} />}
        </Popup>
      ))}
    </span>
  )
})

function PageDetails({ page, close }: { readonly page: WalkPage; readonly close: () => void }) {
  const { grid } = useObjects()
  const { firstRow, count, byteLength, durationMs, serverMs, version, request } = page
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Rows', `${formatCount(firstRow + 1)} – ${formatCount(firstRow + count)}`],
    ['Size', `${formatBytes(byteLength)}, ${formatBytes(byteLength / Math.max(1, count))} each`],
    ['Until the last byte', `${durationMs.toFixed(1)} ms`],
    ['In the service', serverMs === undefined ? undefined : `${serverMs.toFixed(1)} ms`],
    ['Version', version === undefined ? undefined : String(version)],
    ['Received', new Date(page.receivedAtMs).toLocaleTimeString()],
    ['Call', `${request.method ?? 'GET'} ${request.path}`],
  ]
  return (
    <div className="grid gap-2 min-w-65 text-base leading-5">
      <strong>Page {page.index + 1}</strong>
      <dl className="grid gap-0.5 m-0">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} className="grid grid-cols-[130px_1fr] gap-2">
              <dt className="text-muted">{name}</dt>
              <dd className="m-0 wrap-anywhere">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Button
        onClick={() => {
          close()
          grid.current?.goTo({ row: firstRow, column: 0 })
        }}
      >
        Go to its first row
      </Button>
    </div>
  )
}
