/** Runs the same walk and the same query through the service and through its peers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/support/free-port.ts'
import { createDatabase, runSql } from '../../../test/support/postgres.ts'
import type { StoreName } from '../../measure/command-line.ts'
import { Connection, readBody } from '../../measure/connection.ts'
import { makePart, type PartProperties } from '../../measure/parts.ts'
import { parentPid } from '../../measure/process-stats.ts'
import { print, showProgress } from '../../measure/progress.ts'
import {
  type Case,
  measureCases,
  type RoundOptions,
  ratioOf,
  type Sample,
  summarise,
} from '../../measure/rounds.ts'
import { hasEnded, type MeasuredServer, startServer } from '../../measure/server.ts'
import { loadParts, startService } from '../../measure/service.ts'
import { median } from '../../measure/statistics.ts'
import { count, toMarkdown } from '../../measure/table.ts'
import { familySearchPages, listPages } from '../../measure/walk.ts'
import { openStores, openWorkspace } from '../../measure/workspace.ts'
import { datasette } from './datasette.ts'
import { COLUMNS, fillPostgres } from './part-table.ts'
import { CATEGORY, type Peer, PeerMissing, type PeerQuery } from './peer.ts'
import { postgraphile } from './postgraphile.ts'

const PEERS = [datasette, postgraphile]

/** Search pages of the service hold at most 100 objects, so the query has no larger ones. */
const WALKS: readonly (readonly [PeerQuery, number])[] = [
  ['walk', 100],
  ['walk', 1000],
  ['query', 100],
]
/** Every page of every walk is checked before it is measured, which takes a while. */
const OBJECTS_MAX = 100_000
const READY_MS = 120_000

const SEARCH = familySearchPages({ type: 'eq', field: 'category', value: CATEGORY })

/** The service, used like a peer. */
const SERVICE: Pick<Peer, 'call' | 'read'> = {
  call: (query, pageSize, token) =>
    query === 'walk' ? listPages()(pageSize, token) : SEARCH(pageSize, token),
  read(page) {
    const { data, nextPageToken } = page as {
      readonly data: readonly { readonly properties: PartProperties }[]
      readonly nextPageToken?: string | null
    }
    const objects = data.map(({ properties }) => ({ ...properties }))
    return { objects, token: nextPageToken ?? undefined }
  },
}

interface PeerCase extends Case {
  readonly store: StoreName
  readonly walk: string
  readonly objectsPerPage: number
}

/** Prints the report and returns it as Markdown. */
export async function measurePeers(
  options: RoundOptions & { readonly objects: number },
): Promise<string> {
  const objects = Math.min(options.objects, OBJECTS_MAX)
  using workspace = openWorkspace()
  await using postgres = await openStores('PostgreSQL', workspace)
  await using running = new AsyncDisposableStack()
  const serverUrl = postgres.serverUrl ?? ''
  const databasePid = await postmasterPid(serverUrl)
  const cases: PeerCase[] = []
  const notes = [...METHOD]
  const add = async (
    name: string,
    store: StoreName,
    peer: Pick<Peer, 'call' | 'read'>,
    server: MeasuredServer,
  ) => {
    showProgress(`checking every page of ${name}`)
    const pid = store === 'PostgreSQL' ? databasePid : undefined
    for (const [query, pageSize] of WALKS) {
      const calls = await checkedCalls(peer, server, query, pageSize, objects)
      const walk = `${query}, pages of ${count(pageSize)}`
      const objectsPerPage = pageSize
      cases.push({ name, server, calls, databasePid: pid, store, walk, objectsPerPage })
    }
  }

  const sqlite = await openStores('SQLite', workspace)
  for (const [name, stores] of [['SQLite', sqlite] as const, ['PostgreSQL', postgres] as const]) {
    const store = await stores.create('peers')
    const service = running.use(await startService(workspace, { store }))
    await loadParts(workspace, service, objects)
    await add(`the service on ${name}`, name, SERVICE, service)
  }
  for (const peer of PEERS) {
    showProgress(`starting ${peer.name}`)
    try {
      const port = await freePort()
      const { version, readyPath, ...command } = await peer.prepare({
        workspace,
        objects,
        port,
        createDatabase: async () => {
          const { url } = running.use(await createDatabase(serverUrl))
          await fillPostgres(url, objects)
          return url
        },
      })
      const env = { NODE_ENV: 'production', ...command.env }
      const url = new URL(`http://127.0.0.1:${port}`)
      const server = await startServer(workspace, { ...command, env }, async (child) => {
        for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(100)) {
          if (hasEnded(child)) throw new Error('It exited before it was ready.')
          const target = { url, headers: command.headers ?? {} }
          const call = { method: 'GET', path: readyPath }
          if (await readBody(target, call).then(Boolean, () => false)) return url
        }
        throw new Error('It was not ready in time.')
      })
      await add(peer.name, peer.store, peer, running.use(server))
      notes.push(`${peer.name} ${version}: ${peer.settings}`)
    } catch (error) {
      const reason = (error as Error).message.split('\n')[0]
      const verb = error instanceof PeerMissing ? 'is missing' : 'could not be measured'
      notes.push(`${peer.name} ${verb}: ${reason}.`)
    }
  }

  const samples = await measureCases(cases, options)
  const rows = cases.map((each) => {
    const base = cases.find(({ store, walk }) => store === each.store && walk === each.walk)
    const own = samples.get(each) ?? []
    return peerRow(each, own, (base && samples.get(base)) ?? [])
  })
  const text = [
    '## Other services',
    toMarkdown([[`${count(objects)} objects`, ...HEADER], ...rows]),
    notes.map((note) => `- ${note}`).join('\n'),
  ].join('\n\n')
  print(`\n${text}`)
  return text
}

const HEADER = ['CPU ms / 1,000', 'database ms', 'req/s', 'p50 ms', 'p99 ms', '× service']

const METHOD = [
  `Walk: all objects in key order. Query: category = ${CATEGORY}, 1 object in 7, in key order. Each walk was first run to its end, and every value compared. The measured pages are spread over the walk.`,
  'CPU: the processes of the server per 1,000 objects, without the database; database ms: that of PostgreSQL. Peers with files of their own are compared with the service on SQLite, the others with the service on PostgreSQL.',
  'The service checks a token on every request. Its peers do not.',
]

function peerRow(each: PeerCase, own: readonly Sample[], base: readonly Sample[]) {
  const { cpuMicros, requestsPerSecond, p50Ms, p99Ms } = summarise(own)
  const database = median(own.map((sample) => sample.databaseCpuMicros ?? Number.NaN))
  // Microseconds per object are milliseconds per 1,000 objects.
  const perThousand = (micros: number) =>
    Number.isNaN(micros) ? '-' : (micros / each.objectsPerPage).toFixed(2)
  return [
    `${each.name}, ${each.walk}`,
    perThousand(cpuMicros),
    perThousand(database),
    count(requestsPerSecond),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    ratioOf(own, base).CPU.toFixed(2),
  ]
}

/** Walks to the end, compares every value, and returns the requests in an order that spreads them. */
async function checkedCalls(
  peer: Pick<Peer, 'call' | 'read'>,
  server: MeasuredServer,
  query: PeerQuery,
  pageSize: number,
  objects: number,
) {
  const expected = Array.from({ length: objects }, (_, number) => makePart(number, 0)).filter(
    ({ category }) => query === 'walk' || category === CATEGORY,
  )
  using connection = await Connection.open(server)
  const calls = []
  let token: string | undefined
  for (let from = 0; from < expected.length; from += pageSize) {
    const call = peer.call(query, pageSize, token)
    const page = peer.read(JSON.parse((await connection.read(call)).toString()))
    const wanted = expected.slice(from, from + pageSize)
    if (page.objects.length !== wanted.length) {
      throw new Error(`a page has ${page.objects.length} objects instead of ${wanted.length}`)
    }
    for (const [index, part] of wanted.entries()) checkObject(page.objects[index] ?? {}, part)
    if (wanted.length === pageSize) calls.push(call)
    token = page.token
  }
  return spread(calls)
}

function checkObject(object: Readonly<Record<string, unknown>>, expected: PartProperties): void {
  for (const column of COLUMNS) {
    const value = object[column]
    if (value === expected[column]) continue
    // A timestamp can be written in several ways.
    const isSameTime =
      column === 'changedAt' && Date.parse(String(value)) === Date.parse(expected[column])
    if (!isSameTime) throw new Error(`${expected.partNumber} has another ${column}`)
  }
}

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

/** Orders items so that any few in a row are spread over all of them: deep pages may cost more. */
function spread<T>(items: readonly T[]): readonly T[] {
  const rank = (index: number) => (index * GOLDEN_RATIO) % 1
  const order = items.map((_, index) => index).toSorted((a, b) => rank(a) - rank(b))
  return order.map((index) => items[index] as T)
}

/** Returns the main process of a PostgreSQL server on this machine. */
async function postmasterPid(url: string): Promise<number | undefined> {
  const sql = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
  const pid = Number((await runSql(url, sql))[0]?.['pid'])
  return parentPid(pid, 'postgres')
}
