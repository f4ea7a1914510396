/** The longest time that each endpoint blocks the event loop, at its largest legal input. */
import { connect } from 'node:net'
import type { Part } from '../measure/command.ts'
import { Connection } from '../measure/connection.ts'
import { writeChanges } from '../measure/parts.ts'
import { atMost, count, type Mark, showProgress, toMarkdown } from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'
import { longestBlock, startMonitored } from './callers.ts'
import { batchPath, LIST_PATH, loadItems, sinkBatch, TYPE, WORST_QUERIES } from './dataset.ts'
import {
  deepJson,
  LARGE_OBJECTS,
  largeDefinition,
  largeObject,
  manyFilters,
  WIDE_AGGREGATION,
  widestObjectSet,
} from './largest-inputs.ts'

const LIMIT_MS = 50
/** The shortest of several runs counts; the rest is noise. */
const RUNS = 3

interface LoopCase {
  readonly name: string
  readonly method?: 'PUT'
  readonly path: string | ((run: number) => string)
  readonly isAnonymous?: boolean
  readonly contentType?: string
  readonly body?: (run: number) => string | Buffer
}

const NDJSON = 'application/x-ndjson'
const LARGE_LIST = LIST_PATH.replace(/[^/]+$/, 'large')
const exportPath = (type: string, format: string) => `${batchPath(type)}/export?format=${format}`

const CASES: readonly LoopCase[] = [
  ...['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/nowhere', LIST_PATH].map((path) => ({
    name: `anonymous GET ${path}`,
    path,
    isAnonymous: true,
  })),
  { name: 'list 1,000 objects', path: `${LIST_PATH}?pageSize=1000` },
  { name: 'list a page of 4 MB', path: `${LARGE_LIST}?pageSize=1000` },
  {
    name: 'list a page of 4 MB, two properties selected',
    path: `${LARGE_LIST}?pageSize=1000&properties=id,text0`,
  },
  { name: 'list with the longest filters', path: `${LIST_PATH}?${manyFilters()}` },
  ...WORST_QUERIES.map(([path, query], index) => ({
    name: `worst query ${index + 1} of ${WORST_QUERIES.length}`,
    path,
    body: () => JSON.stringify(query),
  })),
  { name: 'search with 1 MB of nested JSON', path: `${LIST_PATH}/search`, body: deepJson },
  {
    name: 'aggregate 10,000 groups with 100 metrics',
    path: `${LIST_PATH}/aggregate`,
    body: () => JSON.stringify(WIDE_AGGREGATION),
  },
  { name: 'export as NDJSON', path: exportPath(TYPE, 'ndjson') },
  { name: 'export as CSV', path: exportPath(TYPE, 'csv') },
  { name: 'export large objects as CSV', path: exportPath('large', 'csv') },
  {
    name: 'a batch of 60 MB',
    path: batchPath('sink'),
    contentType: NDJSON,
    body: () => sinkBatch(60_000_000),
  },
  ...LARGE_OBJECTS.map(({ name, object }) => ({
    name: `a batch of one object of 4 MB: ${name}`,
    path: batchPath('large'),
    contentType: NDJSON,
    body: () => JSON.stringify({ put: object() }),
  })),
  {
    name: 'define the largest ontology',
    method: 'PUT',
    path: (run) => `/api/admin/v1/ontologies/largest${run}`,
    body: largeDefinition,
  },
  { name: 'get the largest definition', path: '/api/admin/v1/ontologies/largest0' },
  { name: 'list the largest number of types', path: '/api/v1/ontologies/largest0/objectTypes' },
  {
    name: 'load an object set of many types and values',
    path: '/api/v2/ontologies/largest0/objectSets/loadObjectsMultipleObjectTypes',
    body: () => JSON.stringify(widestObjectSet()),
  },
]

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
    const measure = async (name: string, run: (n: number) => Promise<string>) => {
      showProgress(`event loop: ${name}`)
      const blocks: number[] = []
      let response = ''
      for (let n = 0; n < RUNS; n += 1) {
        await longestBlock(service)
        response = await run(n)
        blocks.push(await longestBlock(service))
      }
      const ms = Math.max(0, Math.min(...blocks))
      rows.push([name, ms.toFixed(1), response])
      marks.push(atMost(LIMIT_MS, `${store}: "${name}" blocks the event loop, ms`, ms))
    }
    for (const each of CASES) await measure(each.name, (n) => send(service, each, n))
    await measure('a batch in 200,000 chunks of 7 bytes', () => sendTinyChunks(service))
    print(toMarkdown([['Event loop', 'longest ms', 'response'], ...rows]))
    return marks
  },
}

async function send(service: Service, each: LoopCase, run: number): Promise<string> {
  const { path, method, isAnonymous, contentType = 'application/json' } = each
  const body = each.body?.(run)
  const target = isAnonymous ? { url: service.url, headers: {} } : service
  using connection = await Connection.open(target)
  const { status, bytes } = await connection.send({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: typeof path === 'string' ? path : path(run),
    ...(body === undefined ? {} : { contentType, body }),
  })
  return `${status}, ${count(bytes)} B`
}

/** Sends one long line, with a chunk for every few bytes. */
async function sendTinyChunks({ url, token }: Service): Promise<string> {
  const socket = connect(Number(url.port), url.hostname)
  socket.setNoDelay(true)
  const head = [
    `POST ${batchPath('sink')} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${token}`,
    `content-type: ${NDJSON}`,
    'transfer-encoding: chunked',
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const piece = '7\r\nxxxxxxx\r\n'.repeat(5000)
  for (let sent = 0; sent < 40; sent += 1) {
    if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
  }
  socket.write('0\r\n\r\n')
  let response = ''
  for await (const chunk of socket) response += chunk
  return `${response.slice(9, 12)}, ${count(response.length)} B`
}
