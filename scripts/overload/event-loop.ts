/** The longest stretch of the main thread for each endpoint, at its largest legal input. */
import { connect } from 'node:net'
import { count, toText } from '../bench/table.ts'
import { BATCH_PATH, LIST_PATH, ONTOLOGY, sinkBatch, TYPE, WORST_QUERIES } from './dataset.ts'
import {
  deepJson,
  LARGE_OBJECTS,
  largeDefinition,
  largeObject,
  manyFilters,
  WIDE_AGGREGATION,
} from './largest-inputs.ts'
import type { OverloadedService } from './service.ts'

/** Milliseconds that the main thread may be busy at a stretch. */
const LONGEST_MS = 50
/** Each case runs this often; the shortest of the longest stretches counts, the rest is noise. */
const RUNS = 3

interface Case {
  readonly name: string
  /** Runs several times, with the number of the run. */
  readonly run: (send: Send, n: number) => Promise<unknown>
}

type Send = (path: string, options?: SendOptions) => Promise<Response>

interface SendOptions {
  readonly method?: string
  readonly type?: string
  readonly body?: string | Buffer
  readonly isAnonymous?: boolean
}

const SINK_PATH = BATCH_PATH.replace(/[^/]+$/, 'sink')
const LARGE_PATH = LIST_PATH.replace(/[^/]+$/, 'large')
const json = (body: unknown): SendOptions => ({
  method: 'POST',
  type: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const lines = (body: string | Buffer): SendOptions => ({
  method: 'POST',
  type: 'application/x-ndjson',
  body,
})
const anonymous: SendOptions = { isAnonymous: true }

const CASES: readonly Case[] = [
  ...['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/nowhere', LIST_PATH].map((path) => ({
    name: `anonymous GET ${path}`,
    run: (send: Send) => send(path, anonymous),
  })),
  { name: 'list 1,000 objects', run: (send) => send(`${LIST_PATH}?pageSize=1000`) },
  { name: 'list a page of 4 MB', run: (send) => send(`${LARGE_PATH}?pageSize=1000`) },
  {
    name: 'list a page of 4 MB, two properties selected',
    run: (send) => send(`${LARGE_PATH}?pageSize=1000&properties=id,text0`),
  },
  { name: 'list with the longest filters', run: (send) => send(`${LIST_PATH}?${manyFilters()}`) },
  ...WORST_QUERIES.map(([path, body], index) => ({
    name: `worst query ${index + 1} of ${WORST_QUERIES.length}`,
    run: (send: Send) => send(path, json(body)),
  })),
  {
    name: 'search with 1 MB of nested JSON',
    run: (send) => send(`${LIST_PATH}/search`, json(deepJson())),
  },
  {
    name: 'aggregate 10,000 groups with 100 metrics',
    run: (send) => send(`${LIST_PATH}/aggregate`, json(WIDE_AGGREGATION)),
  },
  { name: 'export as NDJSON', run: (send) => send(`${exportPath(TYPE)}?format=ndjson`) },
  { name: 'export as CSV', run: (send) => send(`${exportPath(TYPE)}?format=csv`) },
  { name: 'export large objects as CSV', run: (send) => send(`${exportPath('large')}?format=csv`) },
  { name: 'a batch of 60 MB', run: (send) => send(SINK_PATH, lines(sinkBatch(60_000_000))) },
  ...LARGE_OBJECTS.map(({ name, object }) => ({
    name: `a batch of one object of 4 MB: ${name}`,
    run: (send: Send) =>
      send(BATCH_PATH.replace(/[^/]+$/, 'large'), lines(JSON.stringify({ put: object() }))),
  })),
  {
    name: 'define the largest ontology',
    run: (send, n) =>
      send(`/api/admin/v1/ontologies/largest${n}`, {
        method: 'PUT',
        type: 'application/json',
        body: largeDefinition(n),
      }),
  },
  {
    name: 'get the largest definition',
    run: (send) => send('/api/admin/v1/ontologies/largest0'),
  },
  {
    name: 'list the types of the largest ontology',
    run: (send) => send('/api/v1/ontologies/largest0/objectTypes'),
  },
]

function exportPath(objectType: string): string {
  return `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${objectType}/export`
}

/** Prints a table and gives what was missed, one line each. */
export async function measureEventLoop(service: OverloadedService): Promise<string[]> {
  const send: Send = (path, { method = 'GET', type, body, isAnonymous = false } = {}) =>
    fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(isAnonymous ? {} : { authorization: `Bearer ${service.adminToken}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    })
  await prepare(send)
  const rows = []
  const missed = []
  for (const { name, run } of [...CASES, tinyChunks(service)]) {
    const stretches = []
    let answer = ''
    for (let n = 0; n < RUNS; n += 1) {
      await service.longestStretch()
      const response = await run(send, n)
      if (response instanceof Response) {
        answer = `${response.status}, ${count((await response.arrayBuffer()).byteLength)} B`
      }
      stretches.push(await service.longestStretch())
    }
    const longest = Math.max(0, Math.min(...stretches))
    rows.push({ name, cells: [longest.toFixed(1), answer] })
    if (longest > LONGEST_MS) missed.push(`event loop: ${name} took ${longest.toFixed(0)} ms`)
  }
  console.log(`\n${toText({ title: 'Main thread', columns: ['longest ms', 'answer'], rows })}`)
  return missed
}

/** Objects so large that a page of a thousand reaches its limit of bytes. */
async function prepare(send: Send): Promise<void> {
  const batch = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ put: largeObject(n) }))
  const path = BATCH_PATH.replace(/[^/]+$/, 'large')
  const answer = await send(path, lines(batch.join('\n')))
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
}

/** A line of many small pieces, each a chunk of its own. */
function tinyChunks({ url, adminToken }: OverloadedService): Case {
  const send = async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.setNoDelay(true)
    const head = [
      `POST ${SINK_PATH} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${adminToken}`,
      'content-type: application/x-ndjson',
      'transfer-encoding: chunked',
      'connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const piece = '7\r\nxxxxxxx\r\n'.repeat(5000)
    for (let sent = 0; sent < 40; sent += 1) {
      if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
    }
    socket.end('0\r\n\r\n')
    for await (const _ of socket);
  }
  return { name: 'a batch in 200,000 chunks of 7 bytes', run: send }
}
