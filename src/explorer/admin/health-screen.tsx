/** The state of the service: health, types, and what runs in the background. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import type { StatusResponse } from '../../contract/status-response.ts'
import { screenPath } from '../api/base-path.ts'
import { useSession } from '../session/session.tsx'
import { ErrorNote } from '../ui/controls.tsx'
import { formatBytes } from '../ui/format.ts'
import { statusQuery, type TypeState } from './admin-queries.ts'
import { AdminHead } from './admin-screen.tsx'
import { DataTable } from './data-table.tsx'
import { describeDuration, fullTime, loadBetween } from './describe-time.ts'
import { SyncTable } from './sync-table.tsx'

const HEADING = 'mb-2 text-lg leading-5.5 font-semibold'

export function HealthScreen() {
  const { service } = useSession()
  const { data, error, refetch } = useQuery(statusQuery(service))
  const load = useProcessLoad(data)
  return (
    <>
      <AdminHead title="Service">
        {(data !== undefined || error !== null) && <Readiness isReady={error === null} />}
      </AdminHead>
      {error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Figures status={data} load={load} />
          <section aria-labelledby="work">
            <h2 id="work" className={HEADING}>
              Background work
            </h2>
            <Work status={data} />
          </section>
          {data.sources.length > 0 && (
            <section aria-labelledby="syncs">
              <h2 id="syncs" className={HEADING}>
                Syncs
              </h2>
              <SyncTable reports={data.sources} />
            </section>
          )}
          <section aria-labelledby="types">
            <h2 id="types" className={HEADING}>
              Object types
            </h2>
            <TypeTable types={data.objectTypes} />
          </section>
        </>
      )}
    </>
  )
}

function Readiness({ isReady }: { readonly isReady: boolean }) {
  return (
    <p
      role="status"
      className={`flex items-center gap-1.5 ${isReady ? 'text-ok' : 'text-danger'} text-base leading-5 before:w-2 before:h-2 before:rounded-full before:bg-current`}
    >
      {isReady ? 'Ready' : 'Not ready'}
    </p>
  )
}

/** The load between the last two answers. */
function useProcessLoad(status: StatusResponse | undefined): number | undefined {
  const last = useRef<StatusResponse>(undefined)
  const [load, setLoad] = useState<number>()
  useEffect(() => {
    if (status === undefined || status === last.current) return
    if (last.current !== undefined) setLoad(loadBetween(last.current, status))
    last.current = status
  }, [status])
  return load
}

const STORES = { sqlite: 'SQLite', postgresql: 'PostgreSQL' } as const

function Figures(props: { readonly status: StatusResponse; readonly load: number | undefined }) {
  const { version, startedAt, uptimeSeconds, process, store, pageCache, columns } = props.status
  const { load = 0 } = props
  const busy = props.load === undefined ? '…' : `${Math.round(100 * load)} % busy`
  const size =
    store.storedBytes === undefined ? 'reachable' : `${formatBytes(store.storedBytes)} on disk`
  const { writesFail } = store
  const stored =
    writesFail === undefined ? size : <strong key="writes">writes fail: {writesFail}</strong>
  const cached =
    pageCache.maxBytes === 0
      ? 'disabled'
      : `${formatCount(pageCache.pages)} pages, at most ${formatBytes(pageCache.maxBytes)}`
  const ready = columns?.objectTypes.filter(({ state }) => state === 'ready').length ?? 0
  const builtAt = columns?.objectTypes
    .flatMap((type) => type.builtAt ?? [])
    .sort()
    .at(-1)
  const built = builtAt === undefined ? '' : `, the last built ${fullTime(builtAt)}`
  const types =
    columns === undefined
      ? 'for no type'
      : `${ready} of ${columns.objectTypes.length} types${built}, at most ${formatBytes(columns.maxBytes)}`
  const figures: readonly (readonly [name: string, value: string, detail: ReactNode])[] = [
    ['Version', version, 'release'],
    ['Uptime', describeDuration(uptimeSeconds), `since ${fullTime(startedAt)}`],
    ['Store', STORES[store.kind], stored],
    ['Memory', formatBytes(process.residentBytes), `${formatBytes(process.heapBytes)} of objects`],
    ['Main thread', busy, <ShareBar key="bar" share={load} />],
    ['Page cache', formatBytes(pageCache.bytes), cached],
    ['Columns', formatBytes(columns?.usedBytes ?? 0), types],
  ]
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,168px),1fr))] gap-3 m-0 max-[720px]:gap-2 max-[720px]:grid-cols-[1fr_1fr]">
      {figures.map(([name, value, detail]) => (
        <div
          key={name}
          className="grid content-start gap-0.5 py-3 px-4 border border-line rounded-lg bg-panel max-[720px]:py-2 max-[720px]:px-3"
        >
          <dt className="label">{name}</dt>
          <dd className="m-0 text-xl leading-6.5 font-semibold tabular-nums">{value}</dd>
          <dd className="label m-0">{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

function Work({ status }: { readonly status: StatusResponse }) {
  const { replacements, rewrites, tablesToRemove, reclaiming } = status.backgroundWork
  const columns = (status.columns?.objectTypes ?? []).flatMap(({ building, ...type }) =>
    building === undefined ? [] : [{ ...type, building }],
  )
  const count = replacements.length + rewrites.length + columns.length + tablesToRemove
  if (count === 0 && !reclaiming) {
    return <p className="text-muted text-base leading-5">Nothing is running.</p>
  }
  return (
    <ul className="grid gap-1.5 m-0 p-0 text-base leading-5 list-none *:py-2 *:px-3 *:border-l-3 *:border-l-accent *:rounded-xs *:bg-accent-bg">
      {reclaiming && <li>Removing versions that no snapshot needs any more</li>}
      {replacements.map(({ ontology, objectType, replacement, count }) => (
        <li key={replacement}>
          Replacing all objects of {ontology} › {objectType}: {formatCount(count)} have arrived
        </li>
      ))}
      {rewrites.map(({ ontology, objectType, objects, totalObjects }) => (
        <li key={`${ontology} ${objectType}`}>
          Copying {ontology} › {objectType} into a new table: {formatCount(objects)} of{' '}
          {formatCount(totalObjects)} objects
        </li>
      ))}
      {columns.map(({ ontology, objectType, building }) => (
        <li key={`columns ${ontology} ${objectType}`}>
          Building columns of {ontology} › {objectType}: {formatCount(building.objects)} of{' '}
          {formatCount(building.totalObjects)} objects
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

/** The size and the versions of each object type, the largest first. */
function TypeTable({ types }: { readonly types: readonly TypeState[] }) {
  if (types.length === 0) {
    return <p className="text-muted text-base leading-5">There are no object types.</p>
  }
  const most = Math.max(1, ...types.map(({ count }) => count))
  const number = (name: string, render: (type: TypeState) => string | number) =>
    ({ name, kind: 'number', render }) as const
  const size = number('Size', ({ storedBytes }) =>
    storedBytes === undefined ? '–' : formatBytes(storedBytes),
  )
  return (
    <DataTable
      rows={types.toSorted((a, b) => b.count - a.count)}
      keyOf={({ ontology, objectType }) => `${ontology}/${objectType}`}
      columns={[
        {
          name: 'Object type',
          render: ({ ontology, objectType, count }) => (
            <>
              <Link to={screenPath(ontology, objectType)}>
                <span className="label">{ontology} › </span>
                {objectType}
              </Link>
              <ShareBar share={count / most} />
            </>
          ),
        },
        number('Objects', ({ count }) => formatCount(count)),
        ...(types.some(({ storedBytes }) => storedBytes !== undefined) ? [size] : []),
        number('Newest version', ({ version }) => version),
        number('Oldest snapshot', ({ oldestVersion, version }) =>
          oldestVersion === version ? 'newest only' : oldestVersion,
        ),
      ]}
    />
  )
}

/** A bar for a share from 0 to 1, which a text beside it states as well. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <svg className="block w-full max-w-60 h-0.75 mt-1.5" aria-hidden="true" focusable="false">
      <rect className="fill-raised" width="100%" height="100%" rx="1.5" />
      <rect className="fill-accent" width={`${100 * share}%`} height="100%" rx="1.5" />
    </svg>
  )
}
