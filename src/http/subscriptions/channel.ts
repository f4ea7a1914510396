/**
 * The connection of a client that subscribes. While something waits to be sent, the client is not read,
 * and nothing more is read from the store for it: a client that does not read gets less, and in the end
 * it is closed.
 */
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { type ObjectQueryError, statusOf } from '../../contract/errors.ts'
import { untilSent } from '../response/push.ts'
import type { Services } from '../services.ts'

/** The codes of RFC 6455 for clients that may go on never or later. */
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013
/** The longest reason that RFC 6455 allows. */
const REASON_MAX_BYTES = 123
/** A client that has sent so many pings since the last answer is not checking whether it gets one. */
const UNANSWERED_PINGS_MAX = 100
/** The bytes of a ping or a pong of a client, besides its data. */
const CONTROL_FRAME_BYTES = 6

export class Channel {
  readonly #socket: WebSocket
  readonly #stalledMs: number
  readonly #takeTurn: () => Promise<void> | undefined
  #pauses = 0
  /** Resolves when the earlier messages are sent. */
  #sent: Promise<void> = Promise.resolve()
  /** Resolves when the pages that are being read and sent are sent. */
  #connection: Promise<void> = Promise.resolve()
  /** The data of the last ping that is not answered yet. */
  #ping: Buffer | undefined
  #unansweredPings = 0

  constructor(socket: WebSocket, request: FastifyRequest, services: Services) {
    this.#socket = socket
    this.#stalledMs = services.limits.stalledStreamMs
    this.#takeTurn = () => services.admission.takeTurn(request.context.callerId)
    this.#countReceived(request, services)
  }

  /** Whether something waits to be sent. */
  get isSending(): boolean {
    return this.#socket.bufferedAmount > 0
  }

  /** Stops reading the client until the result is called. */
  pause(): () => void {
    this.#pauses += 1
    this.#socket.pause()
    return () => {
      this.#pauses -= 1
      if (this.#pauses === 0) this.#socket.resume()
    }
  }

  /**
   * Sends a message in pieces. Resolves when it is sent, also if it cannot be: then the connection ends.
   * The pieces are not copied.
   */
  send(...pieces: readonly (string | Uint8Array)[]): Promise<void> {
    const resume = this.pause()
    const send = async () => {
      for (const [index, piece] of pieces.entries()) {
        await this.#sendPiece(piece, index === pieces.length - 1)
      }
      resume()
    }
    this.#sent = this.#sent.then(send)
    return this.#sent
  }

  async #sendPiece(piece: string | Uint8Array, fin: boolean): Promise<void> {
    await this.#takeTurn()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.send(piece, { binary: false, fin }, () => resolve())
    await untilSent(promise, this.#stalledMs, () => this.#socket.terminate())
  }

  /** Waits until the pages that others have read are sent. Disposed of when the next one may be read. */
  async take(): Promise<Disposable> {
    const earlier = this.#connection
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#connection = promise
    await earlier
    return { [Symbol.dispose]: resolve }
  }

  /** Closes the connection, because the client may no longer use it. */
  refuse({ errorName, parameters }: ObjectQueryError): void {
    const isBusy = [429, 503].includes(statusOf(errorName))
    const { parameter, reason } = parameters
    const details = [parameter, reason].filter((one) => typeof one === 'string')
    const text = details.length === 0 ? errorName : `${errorName}: ${details.join(' ')}`
    const shortText = Buffer.from(text)
      .subarray(0, REASON_MAX_BYTES)
      .toString()
      .replace(/\uFFFD$/, '')
    this.#socket.close(isBusy ? TRY_AGAIN_LATER : POLICY_VIOLATION, shortText)
  }

  /** Counts what has arrived of a message as memory of the caller, until it is complete. */
  #countReceived({ raw, context }: FastifyRequest, { memory }: Services): void {
    const received = memory.reserve(context.callerId, 0)
    raw.socket.prependListener('data', ({ length }: Buffer) => {
      try {
        received.grow(length)
      } catch (error) {
        this.refuse(error as ObjectQueryError)
      }
      // Thousands of tiny frames may have arrived together.
      const turn = this.#takeTurn()
      if (turn !== undefined) void turn.then(this.pause())
    })
    const shrink = ({ length }: Buffer) => received.shrink(CONTROL_FRAME_BYTES + length)
    this.#socket.on('message', () => received.release())
    this.#socket.on('pong', shrink)
    this.#socket.on('ping', (data) => {
      shrink(data)
      this.#answer(data)
    })
    this.#socket.once('close', () => received.release())
  }

  /** Answers the last ping once the answer to an earlier one is sent (RFC 6455, 5.5.3). */
  #answer(ping: Buffer): void {
    const isAnswering = this.#ping !== undefined
    this.#ping = ping
    this.#unansweredPings += 1
    if (this.#unansweredPings > UNANSWERED_PINGS_MAX) this.#socket.terminate()
    if (isAnswering) return
    const resume = this.pause()
    // Others may have arrived with it.
    setImmediate(() => {
      const last = this.#ping
      this.#ping = undefined
      this.#unansweredPings = 0
      this.#socket.pong(last, false, resume)
    })
  }
}
