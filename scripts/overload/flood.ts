/**
 * A caller that uses all that it can get, in a process of its own. It speaks HTTP by hand, so that
 * the flood costs little of the cores that it is meant to keep from the service.
 */
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { BATCH_PATH, LIST_PATH, sinkBatch, WORST_QUERIES } from './dataset.ts'

export type FloodKind =
  | 'queries'
  | 'pages'
  | 'batches'
  | 'pipelines'
  | 'stalled readers'
  | 'hang-ups'
  | 'strangers'

export interface FloodOrder {
  readonly url: string
  readonly token: string
  readonly kinds: readonly FloodKind[]
  readonly batchBytes: number
}

/** Statuses of answers and how often each came. */
export type FloodReport = Readonly<Record<string, number>>

const CONNECTIONS: Readonly<Record<FloodKind, number>> = {
  queries: 40,
  pages: 30,
  batches: 12,
  pipelines: 4,
  'stalled readers': 8,
  'hang-ups': 10,
  strangers: 50,
}
const PIPELINED = 100
const HANG_UP_MS = 20

// A flood comes from other machines: it must not take the cores of the service.
setPriority(10)

const statuses: Record<string, number> = {}
const sockets = new Set<Socket>()
let hasEnded = false

process.on('message', (message: FloodOrder | 'end') => {
  if (message === 'end') {
    // Hangs up in the middle of everything.
    hasEnded = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    process.send?.(statuses)
    process.disconnect?.()
    return
  }
  for (const kind of message.kinds) {
    for (let n = 0; n < CONNECTIONS[kind]; n += 1) open(kind, message, n)
  }
})

function open(kind: FloodKind, order: FloodOrder, n: number): void {
  if (hasEnded) return
  const { hostname, port } = new URL(order.url)
  const socket = connect(Number(port), hostname)
  sockets.add(socket)
  socket.on('error', () => {})
  // A connection that the service closes is opened again.
  socket.on('close', () => {
    if (sockets.delete(socket)) setTimeout(() => open(kind, order, n), 100)
  })
  socket.on('connect', () => {
    if (kind === 'stalled readers') socket.pause()
    const request = requestOf(kind, order, n)
    const isPipelined = kind === 'pipelines' || kind === 'stalled readers'
    socket.write(isPipelined ? Buffer.concat(Array(PIPELINED).fill(request)) : request)
    // Leaves while the query runs, and comes back.
    if (kind === 'hang-ups') setTimeout(() => socket.destroy(), HANG_UP_MS)
    socket.on('data', (chunk: Buffer) => {
      const answers = countAnswers(chunk)
      for (let answer = 0; answer < answers; answer += 1) socket.write(request)
    })
  })
}

/** The head of an answer may be cut between two chunks, which is rare and only loses a count. */
function countAnswers(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf('HTTP/1.1 '); at !== -1; at = chunk.indexOf('HTTP/1.1 ', at + 9)) {
    const status = chunk.toString('latin1', at + 9, at + 12)
    statuses[status] = (statuses[status] ?? 0) + 1
    count += 1
  }
  return count
}

function requestOf(kind: FloodKind, { token, batchBytes }: FloodOrder, n: number): Buffer {
  const head = (method: string, path: string, type: string, length: number) =>
    [
      `${method} ${path} HTTP/1.1`,
      'host: flood',
      `authorization: Bearer ${kind === 'strangers' ? randomUUID() : token}`,
      ...(method === 'POST' ? [`content-type: ${type}`, `content-length: ${length}`] : []),
      '\r\n',
    ].join('\r\n')
  if (kind === 'queries' || kind === 'hang-ups') {
    const [path, body] = WORST_QUERIES[n % WORST_QUERIES.length] ?? ['', {}]
    const json = JSON.stringify(body)
    return Buffer.from(head('POST', path, 'application/json', Buffer.byteLength(json)) + json)
  }
  if (kind === 'batches') {
    const batch = sinkBatch(batchBytes)
    const path = BATCH_PATH.replace(/[^/]+$/, 'sink')
    return Buffer.concat([
      Buffer.from(head('POST', path, 'application/x-ndjson', batch.length)),
      batch,
    ])
  }
  return Buffer.from(head('GET', `${LIST_PATH}?pageSize=1000`, '', 0))
}
