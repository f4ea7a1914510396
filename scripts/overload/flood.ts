/**
 * A caller that uses everything it can get, in a process of its own. It writes HTTP by hand, so
 * that the flood itself takes little of the CPU time that it must leave to the service.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { arrayBatch, batchPath, LIST_PATH, sinkBatch, WORST_QUERIES } from './dataset.ts'
import { FLOOD_SCRIPTS, type FloodScript, NDJSON } from './flood-scripts.ts'

/** The number of connections of each kind of flood. */
const CONNECTIONS = {
  queries: 40,
  pages: 30,
  batches: 12,
  'two batches': 2,
  texts: 1,
  'text arrays': 1,
  'integer arrays': 1,
  deletions: 1,
  'type deletions': 1,
  replacements: 1,
  pipelines: 4,
  'stalled readers': 8,
  'hang-ups': 10,
  'unknown tokens': 50,
} as const

export type FloodKind = keyof typeof CONNECTIONS

export interface FloodOrder {
  readonly url: string
  readonly token: string
  readonly kinds: readonly FloodKind[]
  readonly batchBytes: number
  /** For measurements of other callers. The flood is weaker if the service uses all cores. */
  readonly usesIdleTimeOnly?: boolean
}

/** How often each status was received. */
export type FloodReport = Readonly<Record<string, number>>

const PIPELINED = 100
const HANG_UP_MS = 20
const RECONNECT_MS = 100

class FloodingCaller {
  readonly #order: FloodOrder
  readonly #sockets = new Set<Socket>()
  readonly #statuses: Record<string, number> = {}
  readonly #ended = new AbortController()

  constructor(order: FloodOrder) {
    this.#order = order
    for (const kind of order.kinds) {
      const script = FLOOD_SCRIPTS[kind]
      if (script !== undefined) void this.#repeat(script)
      else for (let n = 0; n < CONNECTIONS[kind]; n += 1) this.#open(kind, n)
    }
  }

  /** Runs a script until the flood ends, also after a request that failed. */
  async #repeat(script: FloodScript): Promise<void> {
    const send = async (method: string, path: string, type?: string, body?: Buffer) => {
      const { url, token } = this.#order
      const response = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
        ...(body && { body: new Uint8Array(body) }),
        signal: this.#ended.signal,
      })
      const { status } = response
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
      return response.text()
    }
    while (!this.#ended.signal.aborted) {
      await script(send, this.#order.batchBytes).catch(() => {})
    }
  }

  /** Closes all connections in the middle of their responses. */
  end(): FloodReport {
    const sockets = [...this.#sockets]
    this.#sockets.clear()
    for (const socket of sockets) socket.destroy()
    this.#ended.abort()
    return this.#statuses
  }

  #open(kind: FloodKind, n: number): void {
    const { hostname, port } = new URL(this.#order.url)
    const socket = connect(Number(port), hostname)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    // Reopens a connection that the service closed.
    socket.on('close', () => {
      if (this.#sockets.has(socket)) setTimeout(() => this.#reopen(socket, kind, n), RECONNECT_MS)
    })
    socket.on('connect', () => {
      if (kind === 'stalled readers') socket.pause()
      const request = requestOf(kind, this.#order, n)
      const isPipelined = kind === 'pipelines' || kind === 'stalled readers'
      socket.write(isPipelined ? Buffer.concat(Array(PIPELINED).fill(request)) : request)
      if (kind === 'hang-ups') setTimeout(() => socket.destroy(), HANG_UP_MS)
      socket.on('data', (piece: Buffer) => {
        const responses = this.#countResponses(piece)
        for (let n = 0; n < responses; n += 1) socket.write(request)
      })
    })
  }

  #reopen(socket: Socket, kind: FloodKind, n: number): void {
    if (this.#sockets.delete(socket)) this.#open(kind, n)
  }

  /** Misses a status line that is split between two pieces, which is rare. */
  #countResponses(piece: Buffer): number {
    let responses = 0
    let at = piece.indexOf(STATUS_LINE)
    for (; at !== -1; at = piece.indexOf(STATUS_LINE, at + STATUS_LINE.length)) {
      const from = at + STATUS_LINE.length
      const status = piece.toString('latin1', from, from + 3)
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
      responses += 1
    }
    return responses
  }
}

const STATUS_LINE = 'HTTP/1.1 '

function requestOf(kind: FloodKind, { token, batchBytes }: FloodOrder, n: number): Buffer {
  const caller = kind === 'unknown tokens' ? randomUUID() : token
  const head = (line: string, fields: readonly string[] = []) =>
    [`${line} HTTP/1.1`, 'host: flood', `authorization: Bearer ${caller}`, ...fields, '\r\n'].join(
      '\r\n',
    )
  const post = (path: string, type: string, body: Buffer) =>
    Buffer.concat([
      Buffer.from(
        head(`POST ${path}`, [`content-type: ${type}`, `content-length: ${body.length}`]),
      ),
      body,
    ])
  if (kind === 'queries' || kind === 'hang-ups') {
    const [path, query] = WORST_QUERIES[n % WORST_QUERIES.length] ?? ['', {}]
    return post(path, 'application/json', Buffer.from(JSON.stringify(query)))
  }
  if (kind === 'batches' || kind === 'two batches') {
    return post(batchPath('sink'), NDJSON, sinkBatch(batchBytes))
  }
  if (kind === 'texts' || kind === 'text arrays' || kind === 'integer arrays') {
    return post(batchPath('arrays'), NDJSON, arrayBatch(kind, 2 * batchBytes))
  }
  return Buffer.from(head(`GET ${LIST_PATH}?pageSize=1000`))
}

/**
 * Lets the flood run only when a core is idle. A low priority alone does not suffice: Linux lets such
 * a process finish its time slice, which is longer than ten small requests. Without chrt, that
 * remains so.
 */
function runInIdleTimeOnly(): void {
  spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)])
}

// A flood comes from other machines, so it must not compete with the service for CPU time.
setPriority(10)
process.once('message', (order: FloodOrder) => {
  if (order.usesIdleTimeOnly) runInIdleTimeOnly()
  const caller = new FloodingCaller(order)
  process.once('message', () => {
    process.send?.(caller.end(), () => process.disconnect?.())
  })
})
