/** The state of the service and of its store, for operators. */

import { performance } from 'node:perf_hooks'
import { StatusResponse } from '../../contract/status-response.ts'
import { listReports } from '../../service/sources/source-reports.ts'
import type {
  ColumnsStatus,
  StoredDocument,
  StoreStatus,
  WriteState,
} from '../../store/object-store.ts'
import { endpoint } from '../endpoint.ts'
import { responses } from '../schemas/responses.ts'
import { timeText } from './credential-schemas.ts'

function describeProcess() {
  const { rss, heapUsed } = process.memoryUsage()
  const { active, idle } = performance.eventLoopUtilization()
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    busyMs: Math.round(active),
    idleMs: Math.round(idle),
  }
}

function describeStore(
  status: StoreStatus,
  columns: ColumnsStatus | undefined,
  release: StoredDocument | undefined,
  { failure }: WriteState,
) {
  const { kind, storedBytes, typeNames: names, tablesToRemove, isReclaiming } = status
  const { pages, bytes: cached, maxBytes } = status.pageCache
  /** Names the type of each entry. Leaves out types that were created or dropped meanwhile. */
  const named = <Entry extends { readonly typeRid: string }>(entries: readonly Entry[]) =>
    entries.flatMap(({ typeRid, ...entry }) => {
      const name = names.get(typeRid)
      return name === undefined ? [] : [{ ...name, ...entry }]
    })
  return {
    store: {
      kind,
      reachable: true as const,
      ...(release && { release: String(release.body) }),
      ...(failure !== undefined && { writesFail: failure }),
      ...bytes(storedBytes),
    },
    objectTypes: named(status.types).map(({ storedBytes: ofType, ...state }) => ({
      ...state,
      ...bytes(ofType),
    })),
    pageCache: { pages, bytes: cached, maxBytes },
    ...(columns && {
      columns: {
        residentBytes: columns.residentBytes,
        usedBytes: columns.usedBytes,
        maxBytes: columns.maxBytes,
        objectTypes: named(columns.types).map(({ builtAtMs, building, ...type }) => ({
          ...type,
          ...(building && { building }),
          ...(builtAtMs !== undefined && { builtAt: timeText(builtAtMs) ?? '' }),
        })),
      },
    }),
    backgroundWork: {
      replacements: named(status.replacements),
      rewrites: named(status.rewrites),
      tablesToRemove,
      reclaiming: isReclaiming,
    },
  }
}

function bytes(storedBytes: number | undefined) {
  return storedBytes === undefined ? {} : { storedBytes }
}

export const getStatus = endpoint({
  route: 'GET /api/admin/v1/status',
  config: { scope: 'api:admin' },
  operationId: 'getStatus',
  summary: 'Get the state of the service and its store',
  description:
    'For operators: memory and load of the process, the store, every object type, and work in the background.',
  response: responses(StatusResponse),
  handle: async (_request, reply, { store, columns, now, version, startedAtMs }) => {
    const [status, ofColumns, [release], sources] = await Promise.all([
      store.readStatus(),
      columns?.status(),
      store.documents.list('release', now()),
      listReports({ store, now }),
    ])
    void reply.header('cache-control', 'no-store')
    return {
      version,
      startedAt: timeText(startedAtMs) ?? '',
      uptimeSeconds: Math.floor((now() - startedAtMs) / 1000),
      process: describeProcess(),
      ...describeStore(status, ofColumns, release, store.writeState()),
      sources,
    }
  },
})
