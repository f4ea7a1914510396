/** The state of the service: health, types, and what runs in the background. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatBytes, formatCount } from '../ui/format.ts'
import styles from './admin.module.css'
import { type BackgroundWork, type Status, statusQuery } from './admin-queries.ts'
import { describeDuration, fullTime } from './describe-time.ts'
import { loadBetween } from './load.ts'
import { ShareBar } from './share-bar.tsx'
import { TypeTable } from './type-table.tsx'

export function HealthScreen() {
  const { service } = useSession()
  const { data, error, refetch } = useQuery(statusQuery(service))
  const load = useProcessLoad(data)
  return (
    <>
      <header className={styles.head}>
        <h1>Service</h1>
        {(data !== undefined || error !== null) && <Readiness isReady={error === null} />}
      </header>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Figures status={data} load={load} />
          <section aria-labelledby="work">
            <h2 id="work">Background work</h2>
            <Work work={data.backgroundWork} />
          </section>
          <section aria-labelledby="types">
            <h2 id="types">Object types</h2>
            <TypeTable types={data.objectTypes} />
          </section>
        </>
      )}
    </>
  )
}

function Readiness({ isReady }: { readonly isReady: boolean }) {
  return (
    <p role="status" className={isReady ? styles.ready : styles.notReady}>
      {isReady ? 'Ready' : 'Not ready'}
    </p>
  )
}

/** The load between the last two answers. */
function useProcessLoad(status: Status | undefined): number | undefined {
  const last = useRef<Status>(undefined)
  const [load, setLoad] = useState<number>()
  useEffect(() => {
    if (status === undefined || status === last.current) return
    if (last.current !== undefined) setLoad(loadBetween(last.current, status))
    last.current = status
  }, [status])
  return load
}

const STORES = { sqlite: 'SQLite', postgresql: 'PostgreSQL' } as const

interface FiguresProps {
  readonly status: Status
  readonly load: number | undefined
}

function Figures({ status, load }: FiguresProps) {
  const { version, startedAt, uptimeSeconds, process, store, pageCache } = status
  const { storedBytes } = store
  return (
    <dl className={styles.figures}>
      <Figure name="Version" value={version}>
        release
      </Figure>
      <Figure name="Uptime" value={describeDuration(uptimeSeconds)}>
        since {fullTime(startedAt)}
      </Figure>
      <Figure name="Store" value={STORES[store.kind]}>
        {storedBytes === undefined ? 'reachable' : `${formatBytes(storedBytes)} on disk`}
      </Figure>
      <Figure name="Memory" value={formatBytes(process.residentBytes)}>
        {formatBytes(process.heapBytes)} of objects
      </Figure>
      <Figure name="Main thread" value={load === undefined ? '…' : percent(load)}>
        <ShareBar share={load ?? 0} />
      </Figure>
      <Figure name="Page cache" value={formatBytes(pageCache.bytes)}>
        {pageCache.maxBytes === 0
          ? 'disabled'
          : `${formatCount(pageCache.pages)} pages, at most ${formatBytes(pageCache.maxBytes)}`}
      </Figure>
    </dl>
  )
}

function percent(share: number): string {
  return `${Math.round(100 * share)} % busy`
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly children: ReactNode
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <div>
      <dt className="label">{name}</dt>
      <dd className={styles.value}>{value}</dd>
      <dd className="label">{children}</dd>
    </div>
  )
}

function Work({ work }: { readonly work: BackgroundWork }) {
  const { replacements, rewrites, tablesToRemove, reclaiming } = work
  const count = replacements.length + rewrites.length + tablesToRemove
  if (count === 0 && !reclaiming) {
    return <p className={styles.quiet}>Nothing is running.</p>
  }
  return (
    <ul className={styles.work}>
      {reclaiming && <li>Removing versions that no snapshot needs any more</li>}
      {replacements.map(({ ontology, objectType, replacement, count }) => (
        <li key={replacement}>
          Replacing all objects of {ontology} › {objectType}: {formatCount(count)} have arrived
        </li>
      ))}
      {rewrites.map(({ ontology, objectType, phase, objects, totalObjects, reason }) => (
        <li key={`${ontology} ${objectType}`}>
          {phase === 'failed'
            ? `${ontology} › ${objectType} keeps its earlier table: ${reason}`
            : `Copying ${ontology} › ${objectType} into a new table: ${formatCount(objects)} of ${formatCount(totalObjects)} objects`}
        </li>
      ))}
      {tablesToRemove > 0 && (
        <li>
          {tablesToRemove === 1 ? 'One table is' : `${formatCount(tablesToRemove)} tables are`} no
          longer needed and will be removed
        </li>
      )}
    </ul>
  )
}
