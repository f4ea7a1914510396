import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { bodyHeaders, type Call, type Target } from './http-client.ts'

/**
 * A connection of the load generator, with one request under way. It shares the cores with the
 * server that is measured, and Node's own client takes about as long for a page as a server does:
 * this one finds the length of an answer, counts bytes, and does nothing else.
 */
export class LeanConnection implements Disposable {
  readonly #socket: Socket
  readonly #headers: string
  #answer: Answer | undefined

  private constructor(socket: Socket, { url, headers }: Target) {
    this.#socket = socket
    this.#headers = headerLines({ host: url.host, ...headers })
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error(CLOSED)))
  }

  static async open(target: Target): Promise<LeanConnection> {
    const socket = connect(Number(target.url.port), target.url.hostname)
    await once(socket, 'connect')
    return new LeanConnection(socket, target)
  }

  /** Reads the answer to its last byte; gives the bytes of its body. */
  ask({ method, path, contentType, body }: Call): Promise<number> {
    if (this.#socket.destroyed) return Promise.reject(new Error(CLOSED))
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.#answer = { resolve, reject, head: undefined, length: 0, left: 0 }
    const ofBody = body === undefined ? '' : headerLines(bodyHeaders(body, contentType))
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${ofBody}\r\n${body ?? ''}`)
    return promise
  }

  [Symbol.dispose](): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const answer = this.#answer
    if (answer === undefined) return
    let ofBody = chunk.length
    if (answer.length === 0) {
      const begin = answer.head === undefined ? chunk : Buffer.concat([answer.head, chunk])
      const end = begin.indexOf(HEAD_END)
      if (end === -1) {
        answer.head = begin
        return
      }
      const head = begin.toString('latin1', 0, end)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
        this.#fail(new Error(`an answer that cannot be measured: ${head.split('\r\n')[0]}`))
        return
      }
      answer.length = Number(length)
      answer.left = answer.length
      ofBody = begin.length - end - HEAD_END.length
    }
    answer.left -= ofBody
    if (answer.left > 0) return
    this.#answer = undefined
    answer.resolve(answer.length)
  }

  #fail(error: Error): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.reject(error)
  }
}

const HEAD_END = '\r\n\r\n'
const CLOSED = 'the server has closed the connection'

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** The answer that is waited for. */
interface Answer {
  readonly resolve: (bytes: number) => void
  readonly reject: (error: Error) => void
  /** What came of its head, where that came in pieces. */
  head: Buffer | undefined
  /** Of its body; 0 until the head is there. */
  length: number
  left: number
}
