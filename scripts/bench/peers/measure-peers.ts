/** Runs the same walk and the same query through the service and through its peers. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/support/free-port.ts'
import { runSql } from '../../../test/support/postgres.ts'
import type { StoreName } from '../../measure/command-line.ts'
import { Connection, readBody } from '../../measure/connection.ts'
import { makePart, type PartProperties } from '../../measure/parts.ts'
import { print, showProgress } from '../../measure/progress.ts'
import {
  type Case,
  measureCases,
  type RoundOptions,
  type Samples,
  summarise,
} from '../../measure/rounds.ts'
import { hasEnded, type MeasuredServer, startServer } from '../../measure/server.ts'
import { loadParts, startService } from '../../measure/service.ts'
import { count, type Table, toMarkdown } from '../../measure/table.ts'
import { familySearchPages, listPages } from '../../measure/walk.ts'
import { openStores, openWorkspace, type Workspace } from '../../measure/workspace.ts'
import { datasette } from './datasette.ts'
import { COLUMNS } from './part-table.ts'
import { CATEGORY, type Peer, type PeerCommand, type PeerQuery } from './peer.ts'
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
/** A prime, so that requests in steps of it visit the whole walk. */
const STEP = 7919

const SEARCH = familySearchPages({ type: 'eq', field: 'category', value: CATEGORY })

type WalkedPeer = Pick<Peer, 'name' | 'store' | 'call' | 'read'>

/** The service, used like a peer. */
function serviceOn(store: StoreName): WalkedPeer {
  return {
    name: `the service on ${store}`,
    store,
    call: (query, pageSize, token) => (query === 'walk' ? listPages() : SEARCH)(pageSize, token),
    read(page) {
      const { data, nextPageToken } = page as {
        readonly data: readonly { readonly properties: PartProperties }[]
        readonly nextPageToken?: string | null
      }
      return {
        objects: data.map(({ properties }) => properties),
        token: nextPageToken ?? undefined,
      }
    },
  }
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
  await using sqlite = await openStores('SQLite', workspace)
  await using postgres = await openStores('PostgreSQL', workspace)
  await using running = new AsyncDisposableStack()
  const postgresPid = await postmasterPid(postgres.serverUrl)
  const cases: PeerCase[] = []
  const add = async (peer: WalkedPeer, server: MeasuredServer) => {
    running.use(server)
    const { name, store } = peer
    const databasePid = store === 'PostgreSQL' ? postgresPid : undefined
    for (const [query, pageSize] of WALKS) {
      const calls = await checkedCalls(peer, server, query, pageSize, objects)
      const walk = `${query}, pages of ${count(pageSize)}`
      cases.push({ name, store, walk, server, calls, databasePid, objectsPerPage: pageSize })
    }
  }

  for (const [name, stores] of [['SQLite', sqlite] as const, ['PostgreSQL', postgres] as const]) {
    const service = await startService(workspace, { store: await stores.create('service') })
    await loadParts(workspace, service, objects)
    await add(serviceOn(name), service)
  }
  const notes = [...METHOD]
  for (const peer of PEERS) {
    showProgress(`starting ${peer.name}`)
    const folder = join(workspace.folder, peer.name)
    mkdirSync(folder)
    const setup = { folder, objects, port: await freePort() }
    try {
      const createDatabase = () => postgres.create(peer.name)
      const command = await peer.prepare({ ...setup, createDatabase })
      await add(peer, await startPeer(workspace, command, setup.port))
      notes.push(`${peer.name} ${command.version}: ${peer.settings}`)
    } catch (error) {
      notes.push(`${peer.name} was not measured: ${(error as Error).message.split('\n')[0]}.`)
    }
  }

  const samples = await measureCases(cases, options)
  const text = [
    '## Other services',
    toMarkdown([[`${count(objects)} objects`, ...HEADER], ...peerRows(cases, samples)]),
    notes.map((note) => `- ${note}`).join('\n'),
  ].join('\n\n')
  print(`\n${text}`)
  return text
}

/** Starts a peer, and sends requests until one succeeds. */
function startPeer(
  workspace: Workspace,
  { readyPath, ...command }: PeerCommand,
  port: number,
): Promise<MeasuredServer> {
  const env = { NODE_ENV: 'production', ...command.env }
  const url = new URL(`http://127.0.0.1:${port}`)
  const target = { url, headers: command.headers ?? {} }
  return startServer(workspace, { ...command, env }, async (child) => {
    for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(100)) {
      if (hasEnded(child)) throw new Error('It exited before it was ready.')
      const call = { method: 'GET', path: readyPath }
      if (await readBody(target, call).then(Boolean, () => false)) return url
    }
    throw new Error('It was not ready in time.')
  })
}

const HEADER = ['CPU ms / 1,000', 'database ms', 'req/s', 'p50 ms', 'p99 ms', '× service']

const METHOD = [
  `Walk: all objects in key order. Query: category = ${CATEGORY}, 1 object in 7, in key order. Each walk was first run to its end, and every value compared. The measured pages are spread over the walk.`,
  'CPU: the processes of the server per 1,000 objects, without the database; database ms: that of PostgreSQL; × service: CPU and database together. Peers with files of their own are compared with the service on SQLite, the others with the service on PostgreSQL.',
  'The service checks a token on every request. Its peers do not.',
]

function peerRows(cases: readonly PeerCase[], samples: Samples): Table {
  return cases.map((each) => {
    const base = cases.find(({ store, walk }) => store === each.store && walk === each.walk)
    const own = summarise(samples.get(each) ?? [])
    const service = summarise((base && samples.get(base)) ?? [])
    const total = ({ cpuMicros, databaseMicros }: typeof own) => cpuMicros + (databaseMicros || 0)
    // Microseconds per object are milliseconds per 1,000 objects.
    const perThousand = (micros: number) =>
      Number.isNaN(micros) ? '-' : (micros / each.objectsPerPage).toFixed(2)
    return [
      `${each.name}, ${each.walk}`,
      perThousand(own.cpuMicros),
      perThousand(own.databaseMicros),
      count(own.requestsPerSecond),
      own.p50Ms.toFixed(2),
      own.p99Ms.toFixed(2),
      (total(own) / total(service)).toFixed(2),
    ]
  })
}

/** Walks to the end, compares every value, and returns the requests, spread over the walk. */
async function checkedCalls(
  peer: WalkedPeer,
  server: MeasuredServer,
  query: PeerQuery,
  pageSize: number,
  objects: number,
) {
  const expected = Array.from({ length: objects }, (_, number) => makePart(number, 0)).filter(
    ({ category }) => query === 'walk' || category === CATEGORY,
  )
  using connection = await Connection.open(server)
  const calls: ReturnType<Peer['call']>[] = []
  let token: string | undefined
  for (let from = 0; from < expected.length; from += pageSize) {
    const call = peer.call(query, pageSize, token)
    const page = peer.read(JSON.parse((await connection.read(call)).toString()))
    const wanted = expected.slice(from, from + pageSize)
    const isRight = wanted.every((part, index) => isSame(page.objects[index], part))
    if (!isRight || page.objects.length !== wanted.length) {
      throw new Error(`the page from object ${from} on has other objects`)
    }
    if (wanted.length === pageSize) calls.push(call)
    token = page.token
  }
  return calls.flatMap((_, index) => calls[(index * STEP) % calls.length] ?? [])
}

function isSame(
  object: Readonly<Record<string, unknown>> | undefined,
  expected: PartProperties,
): boolean {
  return COLUMNS.every((column) => {
    const value = object?.[column]
    if (column !== 'changedAt') return value === expected[column]
    // A timestamp can be written in several ways.
    return Date.parse(String(value)) === Date.parse(expected[column])
  })
}

/** Returns the main process of the PostgreSQL server, if this run has started it. */
async function postmasterPid(url = ''): Promise<number | undefined> {
  if (process.env['OQS_TEST_POSTGRES'] !== undefined) return undefined
  const sql = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid"
  return Number((await runSql(url, sql))[0]?.['pid'])
}
