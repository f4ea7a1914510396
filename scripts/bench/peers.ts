/** The same walk and the same query through the service and through other services. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { hasEnded } from '../measure/child-process.ts'
import type { Part } from '../measure/command.ts'
import { type Call, Connection, readBody } from '../measure/connection.ts'
import { loadParts, makePart, type PartProperties } from '../measure/parts.ts'
import { count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Case, RoundOptions } from '../measure/rounds.ts'
import { compareSides, type Side } from '../measure/sides.ts'
import { familySearchPages, listPages } from '../measure/walk.ts'
import type { MeasuredServer, ServerProgram, Workbench } from '../measure/workbench.ts'
import { datasette } from './datasette.ts'
import { COLUMNS } from './part-table.ts'
import { CATEGORY, type Peer, type PeerPage, type PeerQuery, type Walked } from './peer.ts'
import { postgraphile } from './postgraphile.ts'

const PEERS: readonly Peer[] = [datasette, postgraphile]
/** Search pages of the service hold at most 100 objects, so the query has no larger ones. */
const WALKS: readonly (readonly [PeerQuery, number])[] = [
  ['walk', 100],
  ['walk', 1000],
  ['query', 100],
]
const READY_MS = 120_000
/** A prime, so that requests in steps of it visit the whole walk. */
const STEP = 7919
const SEARCH = familySearchPages({ type: 'eq', field: 'category', value: CATEGORY })

/** The service, used like a peer. */
const SERVICE: Walked = {
  name: 'service',
  call: (query, pageSize, token) => (query === 'walk' ? listPages() : SEARCH)(pageSize, token),
  read: ({ data, nextPageToken }) => ({
    objects: data.map(({ properties }: { readonly properties: PartProperties }) => properties),
    token: nextPageToken ?? undefined,
  }),
}

export const peers: Part<RoundOptions & { readonly objects: number }> = {
  about: `The same walk and query through Datasette and PostGraphile, where they are installed or can be. Each
walk is first run to its end, and every value compared, which takes a while. About 10 minutes.`,
  full: { objects: 100_000, rounds: 12, sliceMs: 200, warmUpMs: 40_000 },
  quick: { objects: 30_000, rounds: 4, sliceMs: 40, warmUpMs: 500 },
  async run({ bench, numbers, store, print }) {
    const { objects } = numbers
    const sides: Side[] = []
    const notes: string[] = []
    const add = async (peer: Walked, server: MeasuredServer) => {
      const cases: Case[] = []
      for (const [query, pageSize] of WALKS) {
        const name = `${query}, pages of ${count(pageSize)}`
        const calls = await checkedCalls(peer, server, query, pageSize, objects)
        cases.push({ name, server, calls, databasePid: bench.databasePid })
      }
      sides.push({ name: peer.name, cases })
    }
    const service = await bench.startService()
    await loadParts(bench, service, objects)
    await add(SERVICE, service)
    for (const peer of PEERS.filter((each) => each.store === store)) {
      showProgress(`starting ${peer.name}`)
      try {
        const port = await freePort()
        const program = await peer.prepare(bench, objects, port)
        await add(peer, await startPeer(bench, peer, program, port))
        notes.push(`- ${peer.name} ${program.version}: ${peer.settings}`)
      } catch (error) {
        const { code, message } = error as { readonly code?: string; readonly message: string }
        const reason = code === 'ENOENT' ? 'it is not installed' : message.split('\n')[0]
        notes.push(`- ${peer.name} was not measured: ${reason}.`)
      }
    }
    const { table } = await compareSides(sides, numbers)
    print(`## Other services on ${store}`)
    print(`${count(objects)} objects. Walk: all objects in key order. Query: category = ${CATEGORY}, 1 object in 7, in key order.
The measured pages are spread over the walk. µs: CPU time per page, of the server + of PostgreSQL;
CPU × compares both together with the service. The service checks a token on every request. Its
peers do not.`)
    print(toMarkdown(table))
    print(notes.join('\n'))
    return []
  },
}

/** Starts a peer, and sends requests until one succeeds. */
function startPeer(
  bench: Workbench,
  { readyPath }: Peer,
  program: ServerProgram,
  port: number,
): Promise<MeasuredServer> {
  const url = new URL(`http://127.0.0.1:${port}`)
  const target = { url, headers: program.headers ?? {} }
  const env = { NODE_ENV: 'production', ...program.env }
  return bench.startServer({ ...program, env }, async (child) => {
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
  peer: Walked,
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

function isSame(object: PeerPage['objects'][number] | undefined, expected: PartProperties) {
  return COLUMNS.every((column) => {
    const value = object?.[column]
    if (column !== 'changedAt') return value === expected[column]
    // A timestamp can be written in several ways.
    return Date.parse(String(value)) === Date.parse(expected[column])
  })
}
