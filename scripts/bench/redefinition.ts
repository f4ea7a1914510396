/** Readers while the definition of a large type changes, and the service is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../measure/command.ts'
import { type Call, Connection, readBody } from '../measure/connection.ts'
import { DEFINITION, loadParts, OBJECT_TYPE, ONTOLOGY } from '../measure/parts.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import { quantile } from '../measure/statistics.ts'
import { findToken, getObject, listPages } from '../measure/walk.ts'
import { NO_CACHE, type Service } from '../measure/workbench.ts'

const QUIET_MS = 20_000
/** Readers that each send a request, wait for the response, and pause. */
const READERS = 4
const PAUSE_MS = 20
/** How much longer the slowest responses may take while the type is rewritten. */
const P99_LIMIT = 2
/** Of one service after the other, so that the page tokens of the first stay valid. */
const TOKEN = 'a-token-that-outlives-the-process'
const WALK = listPages({ snapshot: 'true' })
const FIRST_PAGE = listPages()(100)
const BY_TIME = listPages({ orderBy: 'properties.changedAt:desc' })(100)
const DEFINITION_PATH = `/api/admin/v1/ontologies/${ONTOLOGY}`

export const redefinition: Part<{ readonly objects: number }> = {
  about: `Widens a property of all objects, from integer to long, while four readers request objects and
pages. The service is killed in the middle and started again. A snapshot walk that began before must
return every object as it was, and all objects must have the new type at the end. About 15 minutes
and 5 GB.`,
  full: { objects: 1_000_000 },
  // With fewer, the change ends before the service is killed.
  least: { objects: 200_000 },
  bytesPerObject: 4500,
  usualStores: ['SQLite'],
  async run({ bench, numbers: { objects }, store: storeName, print }) {
    const store = await bench.createStore('redefined')
    const start = () => bench.startService({ store, settings: NO_CACHE, token: TOKEN })
    const first = await start()
    await loadParts(bench, first, objects)
    showProgress('measuring the quiet service')
    const quiet = await readDuring(first, sleep(QUIET_MS))
    const secondPage = findToken(await readBody(first, WALK(1000)))
    const started = performance.now()
    await startChange(first)
    const isHalfDone = changeReaches(first, ({ share }) => share >= 0.5)
    const during = [...(await readDuring(first, isHalfDone))]
    showProgress('killing the service')
    process.kill(first.pid, 'SIGKILL')
    await first[Symbol.asyncDispose]()

    const second = await start()
    const resumed = await readChange(second)
    const isDone = changeReaches(second, ({ state }) => state !== 'running')
    during.push(...(await readDuring(second, isDone)))
    const seconds = (performance.now() - started) / 1000
    const { state } = await readChange(second)
    const row = (name: string, times: readonly number[]) => [
      name,
      count(times.length),
      ...[0.5, 0.99, 1].map((share) => count(quantile(times, share), 1)),
    ]
    const header = ['Readers', 'requests', 'p50 ms', 'p99 ms', 'max ms']
    print(toMarkdown([header, row('quiet', quiet), row('while it runs', during)]))
    print(
      `${storeName}, ${count(objects)} objects: ${state} after ${count(seconds)} s, with a kill, after which ${count(100 * resumed.share)} % were converted.`,
    )
    await checkWalk(second, secondPage, objects)
    await checkTypes(second, objects)
    print('The walk that began before returned every object as it was.')
    const ratio = quantile(during, 0.99) / quantile(quiet, 0.99)
    return [atMost(P99_LIMIT, `${storeName}: p99 while the type is rewritten / quiet`, ratio)]
  },
}

/** Reads until the work ends, and returns the times of all requests in milliseconds. */
async function readDuring(service: Service, work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  let isDone = false
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    using connection = await Connection.open(service)
    for (let n = reader; !isDone; n += 1) {
      const sent = performance.now()
      await connection.drain(requestOf(n))
      times.push(performance.now() - sent)
      await sleep(PAUSE_MS)
    }
  })
  const allReaders = Promise.all(readers)
  // A reader ends early only if a request fails.
  await Promise.race([work, allReaders])
  isDone = true
  await allReaders
  return times
}

/** By key, in key order, and in the order of an index. */
function requestOf(n: number): Call {
  if (n % 3 === 0) return getObject((n * 7919) % 100_000)
  return n % 3 === 1 ? FIRST_PAGE : BY_TIME
}

async function startChange(service: Service): Promise<void> {
  const objectTypes = DEFINITION.objectTypes.map((type) => ({
    ...type,
    properties: { ...type.properties, revision: { type: 'long' } },
  }))
  const body = JSON.stringify({ ...DEFINITION, objectTypes })
  using connection = await Connection.open(service)
  const { status } = await connection.send({ method: 'PUT', path: DEFINITION_PATH, body })
  if (status !== 202) throw new Error(`The change was answered with ${status}.`)
}

interface Change {
  readonly state: string
  /** The share of objects that are converted. */
  readonly share: number
}

async function readChange(service: Service): Promise<Change> {
  const text = await readBody(service, { method: 'GET', path: `${DEFINITION_PATH}/change` })
  const { state, objectTypes } = JSON.parse(text.toString())
  const [type] = objectTypes
  return { state, share: type === undefined ? 1 : type.objects / type.totalObjects }
}

async function changeReaches(service: Service, isReached: (change: Change) => boolean) {
  for (;;) {
    const change = await readChange(service)
    if (isReached(change)) return
    showProgress(`${change.state}: ${Math.floor(100 * change.share)} %`)
    await sleep(1000)
  }
}

/** Throws unless the walk returns every object once, with the values of its snapshot. */
async function checkWalk(service: Service, secondPage: string | undefined, objects: number) {
  showProgress('finishing the walk')
  using connection = await Connection.open(service)
  let read = 1000
  for (let token = secondPage; token !== undefined; ) {
    const page = await connection.read(WALK(1000, token))
    const { data, nextPageToken } = JSON.parse(page.toString())
    for (const { properties } of data) {
      if (typeof properties.revision !== 'number') throw new Error('The walk shows a new value.')
    }
    read += data.length
    token = nextPageToken
  }
  if (read !== objects) throw new Error(`The walk returned ${read} of ${objects} objects.`)
}

async function checkTypes(service: Service, objects: number): Promise<void> {
  const page = JSON.parse((await readBody(service, FIRST_PAGE)).toString())
  const isLong = page.data.every(
    ({ properties }: { properties: { revision: unknown } }) =>
      typeof properties.revision === 'string',
  )
  if (!isLong || page.totalCount !== String(objects)) throw new Error(`Wrong ${OBJECT_TYPE}s.`)
}
