/**
 * Reads the rest of a body whose request has its response already, so that the client can read that
 * response. Node.js reads such bodies as fast as clients send them: the refused batches of one
 * caller arrived with 300 MB/s, and collecting their buffers took most of a core. All of them
 * together are therefore read at a limited rate. A client that waits for its response sends the rest
 * more slowly, or closes its connection.
 */
import type { IncomingMessage } from 'node:http'
import { REAL_TIMER, type Timer } from '../../admission/timer.ts'

/** The bytes that are read of one body at a stretch. A shorter rest is read immediately. */
const SLICE_BYTES = 64 * 1024
/** The time between two slices, of the same body or of different ones: 13 MB/s in total. */
const SLICE_INTERVAL_MS = 5

export class DiscardedBodies {
  readonly #timer: Timer
  /** Paused until it is their turn. */
  readonly #waiting: IncomingMessage[] = []
  #isScheduled = false

  constructor(timer: Timer = REAL_TIMER) {
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
      this.#waiting.push(body)
      this.#schedule()
    })
    // Takes what has arrived, and tells Node.js that the body is being read.
    body.resume()
    body.read()
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
    const body = this.#waiting.shift()
    if (body === undefined) return
    body.resume()
    if (this.#waiting.length > 0) this.#schedule()
  }
}
