/** Measures readers while the definition of a large type changes; see the help. */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { FLAG, runScript, type StoreName, TEXT, wholeNumber } from './measure/command-line.ts'
import { type Call, Connection, readBody } from './measure/connection.ts'
import { judge, type Mark } from './measure/marks.ts'
import { DEFINITION, OBJECT_TYPE, ONTOLOGY } from './measure/parts.ts'
import { print, showProgress } from './measure/progress.ts'
import { loadParts, NO_CACHE, type Service, startService } from './measure/service.ts'
import { quantile } from './measure/statistics.ts'
import { count, toMarkdown } from './measure/table.ts'
import { findToken, getObject, listPages } from './measure/walk.ts'
import { openStores, openWorkspace, requireDiskSpace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 1_000_000
const QUIET_MS = 20_000
/** Readers that each send a request, wait for the response, and pause. */
const READERS = 4
const PAUSE_MS = 20
/** How much longer the slowest responses may take while the type is rewritten. */
const P99_LIMIT = 2
const BYTES_PER_OBJECT = 4500
const TOKEN = 'a-token-that-outlives-the-process'
const FIRST_PAGE = listPages()(100)
const BY_TIME = listPages({ orderBy: 'properties.changedAt:desc' })(100)
const WALK = listPages({ snapshot: 'true' })
const CHANGE = `/api/admin/v1/ontologies/${ONTOLOGY}/change`

const HELP = `Usage: node scripts/redefine.ts [options]

Loads objects and widens a property of all of them, from integer to long, while four readers request
objects and pages. The service is killed in the middle and started again. A snapshot walk that began
before must return every object as it was, and all objects must have the new type at the end.

A full run takes about 15 minutes and 5 GB in TMPDIR. The exit status is 0, 1 when the 99th
percentile of response times is more than ${P99_LIMIT} times that of the quiet service, or 2 when the run fails.

  --objects N       number of objects (${OBJECTS})
  --postgres        PostgreSQL instead of SQLite
  --help            this text`

await runScript({
  name: 'redefine',
  help: HELP,
  options: { objects: TEXT, postgres: FLAG },
  async run({ objects, postgres }) {
    const number = wholeNumber('--objects', objects, { min: 200_000, usual: OBJECTS })
    return judge([await measureChange(number, postgres ? 'PostgreSQL' : 'SQLite')])
  },
})

async function measureChange(objects: number, storeName: StoreName): Promise<Mark> {
  using workspace = openWorkspace()
  requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
  await using stores = await openStores(storeName, workspace)
  const store = await stores.create('redefined')
  let service = await start(workspace, store)
  await loadParts(workspace, service, objects)
  showProgress('measuring the quiet service')
  const quiet = await read(service, () => sleep(QUIET_MS))
  const walked = await startWalk(service)
  const started = performance.now()
  await startChange(service)
  const copied = await read(service, (target) => changeUntil(target, ({ share }) => share >= 0.5))
  showProgress('killing the service')
  process.kill(service.pid, 'SIGKILL')
  await service[Symbol.asyncDispose]()
  service = await start(workspace, store)
  const before = await changeOf(service)
  const rest = await read(service, (target) =>
    changeUntil(target, ({ state }) => state !== 'running'),
  )
  const seconds = (performance.now() - started) / 1000
  const { state } = await changeOf(service)
  const during = [...copied, ...rest]
  const [load = 0] = loadavg()
  print(
    toMarkdown([
      ['', 'requests', 'p50 ms', 'p99 ms', 'max ms'],
      ...[['quiet', quiet] as const, ['while it runs', during] as const].map(([name, times]) => [
        name,
        count(times.length),
        ...[0.5, 0.99, 1].map((share) => count(quantile(times, share), 1)),
      ]),
    ]),
  )
  print(
    `\n${storeName}, ${count(objects)} objects: ${state} after ${count(seconds)} s, with a kill.`,
  )
  print(
    `After the start, ${count(100 * before.share)} % were converted. Load average ${load.toFixed(1)}.`,
  )
  await checkWalk(service, walked, objects)
  await checkTypes(service, objects)
  await service[Symbol.asyncDispose]()
  return {
    name: 'p99 while the type is rewritten / quiet',
    value: quantile(during, 0.99) / quantile(quiet, 0.99),
    bound: '≤',
    limit: P99_LIMIT,
  }
}

async function start(workspace: Workspace, store: string): Promise<Service> {
  const settings = { ...NO_CACHE, OQS_ADMIN_TOKEN: TOKEN }
  const service = await startService(workspace, { store, settings })
  return { ...service, token: TOKEN, headers: { authorization: `Bearer ${TOKEN}` } }
}

/** Reads until the work ends, and returns the times of all requests in milliseconds. */
async function read(
  service: Service,
  work: (service: Service) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = []
  let isDone = false
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    using connection = await Connection.open(service)
    for (let n = reader; !isDone; n += 1) {
      const started = performance.now()
      await connection.drain(requestOf(n))
      times.push(performance.now() - started)
      await sleep(PAUSE_MS)
    }
  })
  await work(service)
  isDone = true
  await Promise.all(readers)
  return times
}

/** By key, in key order, and in the order of an index. */
function requestOf(n: number): Call {
  if (n % 3 === 0) return getObject((n * 7919) % 100_000)
  return n % 3 === 1 ? FIRST_PAGE : BY_TIME
}

async function startChange(service: Service): Promise<void> {
  const [type] = DEFINITION.objectTypes
  if (type === undefined) throw new Error('There is no type.')
  const properties = { ...type.properties, revision: { type: 'long' } }
  const body = JSON.stringify({ ...DEFINITION, objectTypes: [{ ...type, properties }] })
  using connection = await Connection.open(service)
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}`
  const { status } = await connection.send({ method: 'PUT', path, body })
  if (status !== 202) throw new Error(`The change was answered with ${status}.`)
}

interface Change {
  readonly state: string
  /** The share of objects that are converted. */
  readonly share: number
}

async function changeOf(service: Service): Promise<Change> {
  const text = await readBody(service, { method: 'GET', path: CHANGE })
  const { state, objectTypes } = JSON.parse(text.toString())
  const [type] = objectTypes
  return { state, share: type === undefined ? 1 : type.objects / type.totalObjects }
}

async function changeUntil(service: Service, isReached: (change: Change) => boolean) {
  for (;;) {
    const change = await changeOf(service)
    if (isReached(change)) return
    showProgress(`${change.state}: ${Math.floor(100 * change.share)} %`)
    await sleep(1000)
  }
}

/** Returns the token of the second page of a snapshot walk, and the size of the first. */
async function startWalk(service: Service): Promise<string> {
  const token = findToken(await readBody(service, WALK(1000)))
  if (token === undefined) throw new Error('The walk has one page.')
  return token
}

/** Throws unless the walk returns every object once, with the values of its snapshot. */
async function checkWalk(service: Service, first: string, objects: number): Promise<void> {
  showProgress('finishing the walk')
  using connection = await Connection.open(service)
  let read = 1000
  for (let token: string | undefined = first; token !== undefined; ) {
    const page = await connection.read(WALK(1000, token))
    const { data, nextPageToken } = JSON.parse(page.toString())
    for (const { properties } of data) {
      if (typeof properties.revision !== 'number') throw new Error('The walk shows a new value.')
    }
    read += data.length
    token = nextPageToken
  }
  if (read !== objects) throw new Error(`The walk returned ${read} of ${objects} objects.`)
  print('The walk that began before returned every object as it was.')
}

async function checkTypes(service: Service, objects: number): Promise<void> {
  const page = JSON.parse((await readBody(service, FIRST_PAGE)).toString())
  const isLong = page.data.every(
    ({ properties }: { properties: { revision: unknown } }) =>
      typeof properties.revision === 'string',
  )
  if (!isLong || page.totalCount !== String(objects)) throw new Error(`Wrong ${OBJECT_TYPE}s.`)
}
