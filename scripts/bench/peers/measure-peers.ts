/** Runs the same walk and the same query through the service and through its peers. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/support/free-port.ts'
import { STORES, type StoreName } from '../../measure/command-line.ts'
import { type Call, Connection, readBody } from '../../measure/connection.ts'
import { makePart, type PartProperties } from '../../measure/parts.ts'
import { print, showProgress } from '../../measure/progress.ts'
import type { Case, RoundOptions } from '../../measure/rounds.ts'
import { hasEnded, type MeasuredServer, startServer } from '../../measure/server.ts'
import { loadParts, startService } from '../../measure/service.ts'
import { compareSides, type Side } from '../../measure/sides.ts'
import { count, toMarkdown } from '../../measure/table.ts'
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

const METHOD = `Walk: all objects in key order. Query: category = ${CATEGORY}, 1 object in 7, in key order. Each walk was first
run to its end, and every value compared. The measured pages are spread over the walk. µs: CPU time per page, of the server + of
PostgreSQL; CPU × compares both together with the service. The service checks a token on every request. Its peers do not.`

const SEARCH = familySearchPages({ type: 'eq', field: 'category', value: CATEGORY })

type WalkedPeer = Pick<Peer, 'name' | 'call' | 'read'>

/** The service, used like a peer. */
const SERVICE: WalkedPeer = {
  name: 'service',
  call: (query, pageSize, token) => (query === 'walk' ? listPages() : SEARCH)(pageSize, token),
  read(page) {
    const { data, nextPageToken } = page as {
      readonly data: readonly { readonly properties: PartProperties }[]
      readonly nextPageToken?: string | null
    }
    return { objects: data.map(({ properties }) => properties), token: nextPageToken ?? undefined }
  },
}

/** Prints the report and returns it as Markdown. */
export async function measurePeers(
  options: RoundOptions & { readonly objects: number },
): Promise<string> {
  const objects = Math.min(options.objects, OBJECTS_MAX)
  const parts = ['## Other services', `${count(objects)} objects. ${METHOD}`]
  for (const store of STORES) parts.push(...(await comparePeers(store, { ...options, objects })))
  print(`\n${parts.join('\n\n')}`)
  return parts.join('\n\n')
}

/** Compares the service on a store with the peers that use the same database. */
async function comparePeers(
  store: StoreName,
  options: RoundOptions & { readonly objects: number },
): Promise<readonly string[]> {
  const { objects } = options
  using workspace = openWorkspace()
  await using stores = await openStores(store, workspace)
  await using running = new AsyncDisposableStack()
  const { databasePid } = stores
  const sides: Side[] = []
  const notes: string[] = []
  const add = async (peer: WalkedPeer, server: MeasuredServer) => {
    running.use(server)
    const cases: Case[] = []
    for (const [query, pageSize] of WALKS) {
      const name = `${query}, pages of ${count(pageSize)}`
      const calls = await checkedCalls(peer, server, query, pageSize, objects)
      cases.push({ name, server, calls, databasePid })
    }
    sides.push({ name: peer.name, cases })
  }

  const service = await startService(workspace, { store: await stores.create('service') })
  await loadParts(workspace, service, objects)
  await add(SERVICE, service)
  for (const peer of PEERS.filter((each) => each.store === store)) {
    showProgress(`starting ${peer.name}`)
    const folder = join(workspace.folder, peer.name)
    mkdirSync(folder)
    const setup = { folder, objects, port: await freePort() }
    try {
      const createDatabase = () => stores.create(peer.name)
      const command = await peer.prepare({ ...setup, createDatabase })
      await add(peer, await startPeer(workspace, command, setup.port))
      notes.push(`- ${peer.name} ${command.version}: ${peer.settings}`)
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string }
      const reason = code === 'ENOENT' ? 'it is not installed' : message.split('\n')[0]
      notes.push(`- ${peer.name} was not measured: ${reason}.`)
    }
  }
  const { table } = await compareSides(sides, options)
  const [[, ...header] = [], ...rows] = table
  return [toMarkdown([[store, ...header], ...rows]), notes.join('\n')]
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

/** Walks to the end, compares every value, and returns the requests, spread over the walk. */
async function checkedCalls(
  peer: WalkedPeer,
  server: MeasuredServer,
  query: PeerQuery,
  pageSize: number,
  objects: number,
): Promise<readonly Call[]> {
  const expected = Array.from({ length: objects }, (_, number) => makePart(number, 0)).filter(
    ({ category }) => query === 'walk' || category === CATEGORY,
  )
  using connection = await Connection.open(server)
  const calls: Call[] = []
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
