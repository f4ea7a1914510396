/**
 * Reads the rest of a body whose request has its response already, so that the client can read that
 * response. Node.js reads such bodies as fast as clients send them: the refused batches of one
 * caller arrived with 300 MB/s, and collecting their buffers took most of a core. All of them
 * together are therefore read at a limited rate, and callers take turns.
 */
import type { IncomingMessage } from 'node:http'
import { REAL_TIMER, type Timer } from '../../admission/timer.ts'

/** The bytes that are read of one body at a stretch. A shorter rest is read immediately. */
const SLICE_BYTES = 64 * 1024
/** The time between two slices, of the same body or of different ones: 13 MB/s in total. */
const SLICE_INTERVAL_MS = 5

export class DiscardedBodies {
  readonly #isStopping: () => boolean
  readonly #timer: Timer
  /** Paused bodies by caller, in the order of their turns; a caller moves to the end after its turn. */
  readonly #waiting = new Map<string, IncomingMessage[]>()
  #isScheduled = false

  constructor(isStopping: () => boolean, timer: Timer = REAL_TIMER) {
    this.#isStopping = isStopping
    this.#timer = timer
  }

  /** Must be called before Node.js notices that nobody reads the body. */
  discard(body: IncomingMessage): void {
    if (body.complete || body.destroyed) return
    let left = SLICE_BYTES
    body.on('data', ({ length }: Buffer) => {
      left -= length
      if (left > 0) return
      left = SLICE_BYTES
      body.pause()
      this.#wait(body)
    })
    // Takes what has arrived, and tells Node.js that the body is being read.
    body.resume()
    body.read()
  }

  #wait(body: IncomingMessage): void {
    const caller = callerOf(body)
    const others = this.#waiting.get(caller)
    if (others === undefined) this.#waiting.set(caller, [body])
    else others.push(body)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#timer.after(SLICE_INTERVAL_MS, () => {
      this.#isScheduled = false
      this.#resumeNext()
    })
  }

  #resumeNext(): void {
    for (let body = this.#takeNext(); body !== undefined; body = this.#takeNext()) {
      // Its client has the response, and a service that stops waits for nothing else.
      if (this.#isStopping()) body.socket.destroy()
      // The body itself is not destroyed together with its connection.
      if (body.socket.destroyed) continue
      body.resume()
      if (this.#waiting.size > 0) this.#schedule()
      return
    }
  }

  #takeNext(): IncomingMessage | undefined {
    const [next] = this.#waiting
    if (next === undefined) return undefined
    const [caller, bodies] = next
    const body = bodies.shift()
    this.#waiting.delete(caller)
    if (bodies.length > 0) this.#waiting.set(caller, bodies)
    return body
  }
}

/** Identifies a caller by what it sends: a request may be refused before it is authenticated. */
function callerOf({ headers, socket }: IncomingMessage): string {
  return headers.authorization ?? `address ${socket.remoteAddress}`
}
