/**
 * An HTTP client for measurements: one request at a time per connection. Node's own client costs as
 * much CPU per page as the server does; this one finds the end of a response and little else.
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
  /** Empty when the body was not kept. */
  readonly body: Buffer
}

interface Pending {
  readonly call: Call
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
  /** Also kept where chunks must be decoded. */
  kept: Buffer[] | undefined
  /** The head as far as it has arrived. */
  head: Buffer
  /** 0 until the head is complete. */
  status: number
  /** Undefined in a chunked response. */
  length: number | undefined
  bytes: number
}

const EMPTY = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'
const CHUNKS_END = '0\r\n\r\n'
const CLOSED = 'the server closed the connection'

export class Connection implements Disposable {
  readonly #socket: Socket
  readonly #headers: string
  #pending: Pending | undefined

  private constructor(socket: Socket, { url, headers }: Target) {
    this.#socket = socket
    this.#headers = headerLines({ host: url.host, ...headers })
    socket.setNoDelay(true)
    socket.on('data', (piece) => this.#receive(piece))
    socket.on('error', (error) => this.#fail(error.message))
    socket.on('close', () => this.#fail(CLOSED))
  }

  static async open(target: Target): Promise<Connection> {
    const socket = connect(Number(target.url.port), target.url.hostname)
    await once(socket, 'connect')
    return new Connection(socket, target)
  }

  /** Sends a request and drops the body of the response; rejects unless the status is 200. */
  async drain(call: Call): Promise<number> {
    return requireOk(call, await this.send(call)).bytes
  }

  /** Sends a request and returns the body of the response; rejects unless the status is 200. */
  async read(call: Call): Promise<Buffer> {
    return requireOk(call, await this.send(call, true)).body
  }

  /** Sends a request, whatever the status of its response. */
  send(call: Call, keepBody = false): Promise<Reply> {
    if (this.#socket.destroyed) return Promise.reject(failure(call, CLOSED))
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const kept: Buffer[] | undefined = keepBody ? [] : undefined
    const parsed = { head: EMPTY, status: 0, length: undefined, bytes: 0 }
    this.#pending = { call, resolve, reject, kept, ...parsed }
    const { method, path, contentType = 'application/json', body } = call
    const length = body === undefined ? 0 : Buffer.byteLength(body)
    const ofBody = { 'content-type': contentType, 'content-length': String(length) }
    const lines = this.#headers + (body === undefined ? '' : headerLines(ofBody))
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`)
    if (body !== undefined) this.#socket.write(body)
    return promise
  }

  [Symbol.dispose](): void {
    this.#pending = undefined
    this.#socket.destroy()
  }

  #receive(piece: Buffer): void {
    const pending = this.#pending
    if (pending === undefined) return
    const data = pending.status === 0 ? this.#readHead(pending, piece) : piece
    if (data === undefined || this.#pending === undefined) return
    pending.bytes += data.length
    pending.kept?.push(data)
    const { status, bytes, length, kept = [] } = pending
    if (length !== undefined && bytes < length) return
    const body = length === undefined ? decodeChunks(kept) : Buffer.concat(kept)
    if (body === undefined) return
    this.#pending = undefined
    pending.resolve({ status, bytes: length ?? body.length, body })
  }

  /** Returns the bytes after the head; undefined while the head is incomplete. */
  #readHead(pending: Pending, piece: Buffer): Buffer | undefined {
    const received = pending.head.length === 0 ? piece : Buffer.concat([pending.head, piece])
    const end = received.indexOf(HEAD_END)
    if (end === -1) {
      pending.head = received
      return undefined
    }
    const head = received.toString('latin1', 0, end)
    pending.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length !== undefined) pending.length = Number(length)
    else if (/\r\ntransfer-encoding: chunked/i.test(head)) pending.kept ??= []
    else if (pending.status === 304) pending.length = 0
    else this.#fail('the response has no length')
    return received.subarray(end + HEAD_END.length)
  }

  #fail(reason: string): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(failure(pending.call, reason))
  }
}

/** Sends one request on a connection of its own, whatever the status of its response. */
export async function sendOnce(target: Target, call: Call): Promise<Reply> {
  using connection = await Connection.open(target)
  return await connection.send(call, true)
}

/** Sends one request on a connection of its own and returns the body; rejects unless it is 200. */
export async function readBody(target: Target, call: Call): Promise<Buffer> {
  using connection = await Connection.open(target)
  return await connection.read(call)
}

/** Returns the data of a chunked body; undefined while the last chunk is missing. */
function decodeChunks(pieces: Buffer[]): Buffer | undefined {
  const tail = Buffer.concat(pieces.slice(-CHUNKS_END.length))
  if (!tail.toString('latin1').endsWith(CHUNKS_END)) return undefined
  const body = Buffer.concat(pieces)
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const start = body.indexOf('\r\n', at) + 2
    const size = Number.parseInt(body.toString('latin1', at, start), 16)
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(body.subarray(start, start + size))
    at = start + size + 2
  }
  return undefined
}

function requireOk(call: Call, reply: Reply): Reply {
  if (reply.status === 200) return reply
  throw failure(call, `status ${reply.status} ${reply.body.toString().slice(0, 300)}`.trim())
}

function failure({ method, path }: Call, reason: string): Error {
  return new Error(`${method} ${path.split('?')[0]} failed: ${reason}`)
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
