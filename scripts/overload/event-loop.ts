/** The longest time that each endpoint blocks the event loop, at its largest legal input. */
import { Readable } from 'node:stream'
import type { Part } from '../measure/command.ts'
import type { Call } from '../measure/connection.ts'
import { writeChanges } from '../measure/parts.ts'
import { atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import { askMonitor, type Service, type Workbench } from '../measure/workbench.ts'
import {
  batchOf,
  batchPath,
  deepJson,
  LARGE_OBJECTS,
  LIST_PATH,
  largeObject,
  loadItems,
  MOST_TYPES,
  manyFilters,
  TYPE,
  WIDE_AGGREGATION,
  WORST_QUERIES,
  wideDefinition,
  widestObjectSet,
} from './inputs.ts'

const LIMIT_MS = 50
/** The shortest of several runs counts; the rest is noise. */
const RUNS = 3

const NDJSON = 'application/x-ndjson'
const LARGE_LIST = LIST_PATH.replace(/[^/]+$/, 'large')
const ANONYMOUS = ['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/nowhere', LIST_PATH]

type LoopCall = Omit<Call, 'body'> & { readonly body?: Call['body'] | Readable }

const get = (path: string) => () => ({ method: 'GET', path })
const post = (path: string, body: () => object | string) => () => {
  const made = body()
  return { method: 'POST', path, body: typeof made === 'string' ? made : JSON.stringify(made) }
}
const exported = (type: string, format: string) => get(`${batchPath(type)}/export?format=${format}`)

/** Requests by their names; each takes the number of the run. */
const CASES: Readonly<Record<string, (run: number) => LoopCall>> = {
  ...Object.fromEntries(ANONYMOUS.map((path) => [`anonymous GET ${path}`, get(path)])),
  'list 1,000 objects': get(`${LIST_PATH}?pageSize=1000`),
  'list a page of 4 MB': get(`${LARGE_LIST}?pageSize=1000`),
  'list a page of 4 MB, two properties selected': get(
    `${LARGE_LIST}?pageSize=1000&properties=id,text0`,
  ),
  'list with the longest filters': get(`${LIST_PATH}?${manyFilters()}`),
  ...Object.fromEntries(
    WORST_QUERIES.map(([path, query], index) => [
      `worst query ${index + 1} of ${WORST_QUERIES.length}`,
      post(path, () => query),
    ]),
  ),
  'search with 1 MB of nested JSON': post(`${LIST_PATH}/search`, deepJson),
  'aggregate 10,000 groups with 100 metrics': post(
    `${LIST_PATH}/aggregate`,
    () => WIDE_AGGREGATION,
  ),
  'export as NDJSON': exported(TYPE, 'ndjson'),
  'export as CSV': exported(TYPE, 'csv'),
  'export large objects as CSV': exported('large', 'csv'),
  'a batch of 60 MB': () => batchOf('sentences', 60_000_000),
  ...Object.fromEntries(
    Object.entries(LARGE_OBJECTS).map(([name, object]) => [
      `a batch of one object of 4 MB: ${name}`,
      () => {
        const body = JSON.stringify({ put: object() })
        return { method: 'POST', path: batchPath('large'), contentType: NDJSON, body }
      },
    ]),
  ),
  'define the largest ontology': (run) => ({
    method: 'PUT',
    path: `/api/admin/v1/ontologies/largest${run}`,
    body: JSON.stringify(wideDefinition(`largest${run}`, MOST_TYPES, 100)),
  }),
  'get the largest definition': get('/api/admin/v1/ontologies/largest0'),
  'list the largest number of types': get('/api/v1/ontologies/largest0/objectTypes'),
  'load an object set of many types and values': post(
    '/api/v2/ontologies/largest0/objectSets/loadObjectsMultipleObjectTypes',
    widestObjectSet,
  ),
  // One long line, with a chunk for every few bytes.
  'a batch in 200,000 chunks of 7 bytes': () => ({
    method: 'POST',
    path: batchPath('sink'),
    contentType: NDJSON,
    body: Readable.from(Array(200_000).fill('xxxxxxx')),
  }),
}

export const eventLoop: Part<{ readonly objects: number }> = {
  about: `Every endpoint at its largest legal input may block the event loop for ${LIMIT_MS} ms at most.`,
  full: { objects: 200_000 },
  quick: { objects: 20_000 },
  async run({ bench, numbers, store, print }) {
    const service = await startMonitored(bench)
    await loadItems(service, numbers.objects)
    const largest = Array.from({ length: 1000 }, (_, n) => ({ put: largeObject(n) }))
    await writeChanges(service, batchPath('large'), largest)
    const rows: string[][] = []
    const marks: Mark[] = []
    for (const [name, callOf] of Object.entries(CASES)) {
      showProgress(`event loop: ${name}`)
      const blocks: number[] = []
      let response = ''
      for (let run = 0; run < RUNS; run += 1) {
        const call = callOf(run)
        await askMonitor(service, 'longestBlockMs')
        response = await send(service, call, !name.startsWith('anonymous'))
        blocks.push(await askMonitor(service, 'longestBlockMs'))
      }
      const ms = Math.max(0, Math.min(...blocks))
      rows.push([name, ms.toFixed(1), response])
      marks.push(atMost(LIMIT_MS, `${store}: "${name}" blocks the event loop, ms`, ms))
    }
    print(toMarkdown([['Event loop', 'longest ms', 'response'], ...rows]))
    return marks
  },
}

/** Starts a service that reports its event loop. The rate limit is off: other protections must suffice. */
export function startMonitored(bench: Workbench, maxDescriptors?: number): Promise<Service> {
  const settings = { OQS_RATE_LIMIT_PER_MINUTE: 'none' }
  const limit = maxDescriptors === undefined ? {} : { maxDescriptors }
  return bench.startService({ settings, keepLimits: true, hasMonitor: true, ...limit })
}

/** Sends a request with the client of Node.js, which also reads and writes chunks. */
async function send(
  { url, headers }: Service,
  { method, path, contentType = 'application/json', body }: LoopCall,
  hasToken: boolean,
): Promise<string> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: hasToken ? { ...headers, 'content-type': contentType } : {},
    body: (body ?? null) as RequestInit['body'] & {},
    duplex: 'half',
  })
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  return `${response.status}, ${count(bytes)} B`
}
