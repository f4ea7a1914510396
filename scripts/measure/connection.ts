/**
 * The load generator: one request at a time per connection. A general client costs as much CPU time
 * per page as the service does; this one finds the end of a response and little else. It receives
 * everything into one buffer, and copies only what is kept.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A server that requests are sent to. */
export interface Target {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly body?: string | Buffer
}

export interface Reply {
  readonly status: number
  /** The length of the body. */
  readonly bytes: number
  /** The part that was kept. */
  readonly body: Buffer
}

interface Pending {
  readonly call: Call
  /** How many of the last bytes of the body are kept. */
  readonly keptBytes: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
  /** The head as far as it has arrived, then the pieces of a kept body. */
  pieces: Buffer[]
  /** 0 until the head is complete. */
  status: number
  length: number
  bytes: number
}

const HEAD_END = '\r\n\r\n'
const CLOSED = 'the server closed the connection'
const RECEIVED_BYTES = 65_536

export class Connection implements Disposable {
  readonly #socket: Socket
  readonly #headers: string
  #pending: Pending | undefined

  private constructor(target: Target) {
    this.#headers = headerLines(target)
    const { port, hostname: host } = target.url
    const onread = {
      buffer: Buffer.allocUnsafeSlow(RECEIVED_BYTES),
      callback: (length: number, buffer: Uint8Array) => {
        this.#receive(Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    }
    this.#socket = connect({ port: Number(port), host, noDelay: true, onread })
    this.#socket.on('error', (error) => this.#fail(error.message))
    this.#socket.on('close', () => this.#fail(CLOSED))
  }

  static async open(target: Target): Promise<Connection> {
    const connection = new Connection(target)
    await once(connection.#socket, 'connect')
    return connection
  }

  /** Sends a request and drops the body of the response; rejects unless the status is 200. */
  async drain(call: Call): Promise<number> {
    return requireOk(call, await this.send(call)).bytes
  }

  /** Sends a request and returns the body of the response, or its end; rejects unless it is 200. */
  async read(call: Call, keptBytes = Infinity): Promise<Buffer> {
    return requireOk(call, await this.send(call, keptBytes)).body
  }

  /** Sends a request, whatever the status of its response, and keeps the last bytes of its body. */
  send(call: Call, keptBytes = 0): Promise<Reply> {
    if (this.#socket.destroyed) return Promise.reject(failure(call, CLOSED))
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    this.#pending = { call, keptBytes, resolve, reject, pieces: [], status: 0, length: 0, bytes: 0 }
    this.#write(requestHead(this.#headers, call), call.body)
    return promise
  }

  [Symbol.dispose](): void {
    this.#pending = undefined
    this.#socket.destroy()
  }

  /** Sends the head and a short body as one packet, which wakes the server once. */
  #write(head: string, body: Call['body']): void {
    if (typeof body === 'string') {
      this.#socket.write(head + body)
      return
    }
    this.#socket.write(head)
    if (body !== undefined) this.#socket.write(body)
  }

  #receive(piece: Buffer): void {
    const pending = this.#pending
    if (pending === undefined) return
    const data = pending.status === 0 ? this.#readHead(pending, piece) : piece
    if (data === undefined) return
    const { status, keptBytes, length, pieces } = pending
    const dropped = Math.max(0, length - keptBytes - pending.bytes)
    if (dropped < data.length) pieces.push(Buffer.from(data.subarray(dropped)))
    pending.bytes += data.length
    const { bytes } = pending
    if (bytes < length) return
    this.#pending = undefined
    pending.resolve({ status, bytes, body: Buffer.concat(pieces) })
  }

  /** Returns the bytes after the head; undefined while the head is incomplete. */
  #readHead(pending: Pending, piece: Buffer): Buffer | undefined {
    const received = Buffer.concat([...pending.pieces, piece])
    const end = received.indexOf(HEAD_END)
    pending.pieces = end === -1 ? [received] : []
    if (end === -1) return undefined
    const head = received.toString('latin1', 0, end)
    pending.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined && pending.status !== 304) {
      this.#fail('the response has no length')
      return undefined
    }
    pending.length = Number(length ?? 0)
    return received.subarray(end + HEAD_END.length)
  }

  #fail(reason: string): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(failure(pending.call, reason))
  }
}

/** Returns the headers that are the same for all requests. */
export function headerLines({ url, headers }: Target): string {
  const lines = Object.entries({ host: url.host, ...headers })
  return lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

/** Returns everything before the body of a request. */
export function requestHead(headers: string, call: Call): string {
  const { method, path, contentType = 'application/json', body } = call
  const start = `${method} ${path} HTTP/1.1\r\n${headers}`
  if (body === undefined) return `${start}\r\n`
  return `${start}content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
}

/** Sends one request on a connection of its own, whatever the status of its response. */
export async function sendOnce(target: Target, call: Call): Promise<Reply> {
  using connection = await Connection.open(target)
  return await connection.send(call, Infinity)
}

/** Sends one request on a connection of its own and returns the body; rejects unless it is 200. */
export async function readBody(target: Target, call: Call): Promise<Buffer> {
  return requireOk(call, await sendOnce(target, call)).body
}

function requireOk(call: Call, reply: Reply): Reply {
  if (reply.status === 200) return reply
  throw failure(call, `status ${reply.status} ${reply.body.toString().slice(0, 300)}`.trim())
}

function failure({ method, path }: Call, reason: string): Error {
  return new Error(`${method} ${path.split('?')[0]} failed: ${reason}`)
}
