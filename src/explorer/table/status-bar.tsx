/** The paging lens: where the reader is, and what each page cost. */
import { PAGE_TOKEN_TTL_SECONDS } from '../../contract/limits.ts'
import type { WalkPage } from '../api/walk.ts'
import { formatBytes, formatCount, formatCountdown } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'
import { PageBars } from './page-bars.tsx'
import styles from './status-bar.module.css'
import type { ViewWalk } from './use-walk.ts'

export interface StatusBarProps {
  readonly walk: ViewWalk
  /** The first row in view. */
  readonly topRow: number
  readonly onJump: (row: number) => void
}

export function StatusBar({ walk: { walk, state, revision }, topRow, onJump }: StatusBarProps) {
  const { pages, rowCount, totalCount, isComplete } = state
  const page = walk.pageAt(topRow)
  const last = pages.at(-1)
  return (
    <section className={styles.bar} aria-label="Pages">
      <span className={styles.position}>
        row {formatCount(rowCount === 0 ? 0 : topRow + 1)}
        {page !== undefined && ` · page ${formatCount(page.index + 1)}`}
        {` · ${formatCount(rowCount)} read`}
        {totalCount === undefined ? '' : ` of ${formatCount(totalCount)}`}
      </span>
      <PageBars pages={pages} current={page?.index} onJump={onJump} />
      {page !== undefined && (
        <span className={styles.detail}>
          {formatCount(page.count)} objects · {formatBytes(page.byteLength)} · {timeOf(page)}
        </span>
      )}
      {last !== undefined && (
        <span>
          {isComplete ? 'all pages read' : <TokenLife receivedAtMs={last.receivedAtMs} />}
        </span>
      )}
      <span className={styles.right}>{NAMES[revision]}</span>
    </section>
  )
}

const NAMES = { '1': 'revision 1.0', '2': 'revision 2.0', v2: 'v2' } as const

/** The time until the last byte, and the part of it that the service spent. */
export function timeOf({ durationMs, serverMs }: WalkPage): string {
  const server =
    serverMs === undefined ? '' : ` (service ${serverMs.toFixed(serverMs < 10 ? 1 : 0)})`
  return `${Math.round(durationMs)} ms${server}`
}

/** How long the token of the next page is still valid. */
function TokenLife({ receivedAtMs }: { readonly receivedAtMs: number }) {
  const leftMs = receivedAtMs + 1000 * PAGE_TOKEN_TTL_SECONDS - useNow()
  return <>{leftMs <= 0 ? 'next token expired' : `next token ${formatCountdown(leftMs)}`}</>
}
