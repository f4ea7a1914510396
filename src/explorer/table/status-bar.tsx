/** The paging lens: where the reader is, and what each page cost. */
import { useEffect, useState } from 'react'
import { formatBytes, formatCount } from '../ui/format.ts'
import styles from './status-bar.module.css'
import type { ViewWalk } from './use-walk.ts'

const SHOWN_PAGES = 24

export function StatusBar({ walk: { state, revision } }: { readonly walk: ViewWalk }) {
  const { pages, rowCount, totalCount } = state
  const last = pages.at(-1)
  const slowest = Math.max(...pages.map(({ durationMs }) => durationMs), 1)
  return (
    <section className={styles.bar} aria-label="Pages">
      <span>
        {formatCount(rowCount)}
        {totalCount === undefined ? ' rows' : ` of ${formatCount(totalCount)}`}
      </span>
      {last !== undefined && (
        <>
          <span>page {last.index + 1}</span>
          <span>{formatCount(last.count)} objects</span>
          <span>{formatBytes(last.byteLength)}</span>
          <span>{Math.round(last.durationMs)} ms</span>
          <span>{last.hasNextToken ? <Age since={last.receivedAtMs} /> : 'last page'}</span>
        </>
      )}
      <span className={styles.bars} aria-hidden="true">
        {pages.slice(-SHOWN_PAGES).map(({ index, durationMs }) => (
          <i key={index} style={{ height: `${Math.max(2, (16 * durationMs) / slowest)}px` }} />
        ))}
      </span>
      <span className={styles.right}>{NAMES[revision]}</span>
    </section>
  )
}

const NAMES = { '1': 'revision 1.0', '2': 'revision 2.0', v2: 'v2' } as const

/** How old the token of the next page is. */
function Age({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - since) / 1000))
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <>next token {text} old</>
}
