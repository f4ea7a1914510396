/**
 * A caller that uses everything it can get, in a process of its own. It writes HTTP by hand, so
 * that the flood itself takes little of the CPU time that it must leave to the service.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import {
  type FloodOrder,
  type FloodReport,
  type FloodScript,
  findFlood,
  type Send,
} from './flood.ts'

const PIPELINED = 100
const HANG_UP_MS = 20
const RECONNECT_MS = 100
const STATUS_LINE = 'HTTP/1.1 '

type RepeatedRequest = Exclude<ReturnType<typeof findFlood>, FloodScript>

class FloodingCaller {
  readonly #order: FloodOrder
  readonly #sockets = new Set<Socket>()
  readonly #statuses: Record<string, number> = {}
  readonly #ended = new AbortController()

  constructor(order: FloodOrder) {
    this.#order = order
    for (const flood of order.kinds.map(findFlood)) {
      if (typeof flood === 'function') void this.#repeat(flood)
      else for (let n = 0; n < flood.connections; n += 1) this.#open(flood, n)
    }
  }

  /** Runs a script until the flood ends, also after a request that failed. */
  async #repeat(script: FloodScript): Promise<void> {
    const { url, token, batchBytes } = this.#order
    const send: Send = async ({ method, path, type, body }) => {
      const response = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
        ...(body && { body: new Uint8Array(body) }),
        signal: this.#ended.signal,
      })
      this.#countStatus(String(response.status))
      return response.text()
    }
    while (!this.#ended.signal.aborted) await script(send, batchBytes).catch(() => {})
  }

  /** Closes all connections in the middle of their responses. */
  end(): FloodReport {
    const sockets = [...this.#sockets]
    this.#sockets.clear()
    for (const socket of sockets) socket.destroy()
    this.#ended.abort()
    return this.#statuses
  }

  #open(flood: RepeatedRequest, n: number): void {
    const { hostname, port } = new URL(this.#order.url)
    const socket = connect(Number(port), hostname)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    // Reopens a connection that the service closed.
    socket.on('close', () => {
      if (this.#sockets.has(socket)) setTimeout(() => this.#reopen(socket, flood, n), RECONNECT_MS)
    })
    socket.on('connect', () => {
      if (flood.isStalled) socket.pause()
      const request = requestOf(flood, this.#order, n)
      socket.write(flood.isPipelined ? Buffer.concat(Array(PIPELINED).fill(request)) : request)
      if (flood.hangsUp) setTimeout(() => socket.destroy(), HANG_UP_MS)
      socket.on('data', (piece: Buffer) => {
        const responses = this.#countResponses(piece)
        for (let n = 0; n < responses; n += 1) socket.write(request)
      })
    })
  }

  #reopen(socket: Socket, flood: RepeatedRequest, n: number): void {
    if (this.#sockets.delete(socket)) this.#open(flood, n)
  }

  /** Misses a status line that is split between two pieces, which is rare. */
  #countResponses(piece: Buffer): number {
    let responses = 0
    let at = piece.indexOf(STATUS_LINE)
    for (; at !== -1; at = piece.indexOf(STATUS_LINE, at + STATUS_LINE.length)) {
      const from = at + STATUS_LINE.length
      this.#countStatus(piece.toString('latin1', from, from + 3))
      responses += 1
    }
    return responses
  }

  #countStatus(status: string): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
  }
}

function requestOf(flood: RepeatedRequest, { token, batchBytes }: FloodOrder, n: number): Buffer {
  const { method, path, type, body } = flood.request(batchBytes, n)
  const caller = flood.hasUnknownToken ? randomUUID() : token
  const head = [`${method} ${path} HTTP/1.1`, 'host: flood', `authorization: Bearer ${caller}`]
  const ofBody = body ? [`content-type: ${type}`, `content-length: ${body.length}`] : []
  const lines = Buffer.from([...head, ...ofBody, '\r\n'].join('\r\n'))
  return body ? Buffer.concat([lines, body]) : lines
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
