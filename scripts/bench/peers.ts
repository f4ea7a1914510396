/** The same walk and the same query through the service and through Datasette. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../test/support/free-port.ts'
import type { Part } from '../measure/command.ts'
import { type Case, compareSides, type RoundOptions } from '../measure/compare.ts'
import { type Call, Connection, readBody } from '../measure/connection.ts'
import { familySearchPages, listPages } from '../measure/pages.ts'
import { isPart, loadParts, makePart, type PartProperties } from '../measure/parts.ts'
import { hasEnded } from '../measure/processes.ts'
import { count, showProgress, toMarkdown } from '../measure/report.ts'
import type { MeasuredServer, Workbench } from '../measure/workbench.ts'
import { loadPlainSqlite, TABLE } from './plain-table.ts'

const CATEGORY = 'rotor'
/** Search pages of the service hold at most 100 objects, so the query has no larger ones. */
const WALKS = [
  { isFiltered: false, pageSize: 100 },
  { isFiltered: false, pageSize: 1000 },
  { isFiltered: true, pageSize: 100 },
]
const READY_MS = 120_000
/** A prime, so that requests in steps of it visit the whole walk. */
const STEP = 7919

interface Peer {
  readonly name: string
  /** Builds the request for the page that a token names, or for the first page. */
  call(isFiltered: boolean, pageSize: number, token: string | undefined): Call
  // biome-ignore lint/suspicious/noExplicitAny: The JSON of a peer.
  read(page: any): { readonly objects: readonly object[]; readonly token: string | undefined }
}

const SEARCH = familySearchPages({ type: 'eq', field: 'category', value: CATEGORY })

const SERVICE: Peer = {
  name: 'service',
  call: (isFiltered, pageSize, token) => (isFiltered ? SEARCH : listPages())(pageSize, token),
  read: ({ data, nextPageToken }) => ({
    objects: data.map(({ properties }: { readonly properties: PartProperties }) => properties),
    token: nextPageToken ?? undefined,
  }),
}

const DATASETTE: Peer = {
  name: 'Datasette',
  call(isFiltered, pageSize, token) {
    const parameters = new URLSearchParams({
      _shape: 'objects',
      _size: String(pageSize),
      _nocount: '1',
      _nofacet: '1',
      _nosuggest: '1',
      ...(isFiltered && { category__exact: CATEGORY }),
      ...(token !== undefined && { _next: token }),
    })
    return { method: 'GET', path: `/datasette/${TABLE}.json?${parameters}` }
  },
  read: ({ rows, next }) => ({ objects: rows, token: next }),
}

export const peers: Part<RoundOptions & { readonly objects: number }> = {
  about: `The same walk and query through Datasette, which must be installed. Each walk is first run to its
end, and every value compared, which takes a while. About 10 minutes.`,
  full: { objects: 100_000, rounds: 12, sliceMs: 200, warmUpMs: 40_000 },
  quick: { objects: 30_000, rounds: 4, sliceMs: 40, warmUpMs: 500 },
  stores: ['SQLite'],
  async run({ bench, numbers, print }) {
    const { objects } = numbers
    showProgress('starting Datasette')
    const [datasette, version] = await startDatasette(bench, objects)
    const service = await bench.startService()
    await loadParts(bench, service, objects)
    const servers = [[SERVICE, service] as const, [DATASETTE, datasette] as const]
    const sides = servers.map(async ([peer, server]) => {
      const cases: Case[] = []
      for (const { isFiltered, pageSize } of WALKS) {
        const name = `${isFiltered ? 'query' : 'walk'}, pages of ${count(pageSize)}`
        const calls = await checkedCalls(peer, server, isFiltered, pageSize, objects)
        cases.push({ name, server, calls })
      }
      return { name: peer.name, cases }
    })
    const { table } = await compareSides(await Promise.all(sides), numbers)
    print(`${count(objects)} objects. Walk: all objects in key order. Query: category = ${CATEGORY}, 1 object in 7, in key order.
The measured pages are spread over the walk. µs: CPU time per page. The service checks a token on
every request. Datasette ${version} does not; it reads an immutable file with an index on (category,
partNumber), and sends rows as objects, without counts and facets.`)
    print(toMarkdown(table))
    return []
  },
}

/** Starts Datasette on a plain table, and sends requests until one succeeds. */
async function startDatasette(bench: Workbench, objects: number) {
  const { stdout } = await promisify(execFile)('datasette', ['--version']).catch(() => {
    throw new Error('Datasette is not installed. Install the Python package datasette.')
  })
  const database = join(bench.folder, 'datasette.db')
  loadPlainSqlite(database, objects)
  const off = ['suggest_facets', 'allow_csv_stream', 'allow_download', 'allow_facet']
  const port = await freePort()
  const url = new URL(`http://127.0.0.1:${port}`)
  const address = ['--host', '127.0.0.1', '--port', String(port)]
  const settings = off.flatMap((name) => ['--setting', name, 'off'])
  const server = await bench.startServer({
    file: 'datasette',
    args: ['serve', '--immutable', database, ...address, ...settings],
    untilReady: async (child) => {
      for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(100)) {
        if (hasEnded(child)) throw new Error('Datasette exited before it was ready.')
        const call = DATASETTE.call(false, 1, undefined)
        if (await readBody({ url, headers: {} }, call).then(Boolean, () => false)) return url
      }
      throw new Error('Datasette was not ready in time.')
    },
  })
  return [server, /\d[\w.-]*/.exec(stdout)?.[0] ?? ''] as const
}

/** Walks to the end, compares every value, and returns the requests, spread over the walk. */
async function checkedCalls(
  { call, read }: Peer,
  server: MeasuredServer,
  isFiltered: boolean,
  pageSize: number,
  objects: number,
): Promise<readonly Call[]> {
  const expected = Array.from({ length: objects }, (_, number) => makePart(number, 0)).filter(
    ({ category }) => !isFiltered || category === CATEGORY,
  )
  using connection = await Connection.open(server)
  const calls: Call[] = []
  let token: string | undefined
  for (let from = 0; from < expected.length; from += pageSize) {
    const request = call(isFiltered, pageSize, token)
    const page = read(JSON.parse((await connection.read(request)).toString()))
    const wanted = expected.slice(from, from + pageSize)
    const isRight = wanted.every((part, index) => isPart(page.objects[index], part))
    if (!isRight || page.objects.length !== wanted.length) {
      throw new Error(`the page from object ${from} on has other objects`)
    }
    if (wanted.length === pageSize) calls.push(request)
    token = page.token
  }
  return calls.flatMap((_, index) => calls[(index * STEP) % calls.length] ?? [])
}
