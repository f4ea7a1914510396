import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientDisconnected } from '../../contract/errors.ts'

/**
 * The time from the arrival of a request to the last byte of its response, or to the end of its
 * connection. Releases then what the request holds, and aborts work that still runs for it.
 */
export class RequestLifetime {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #onEnd: () => void
  #deferred: (() => void)[] = []
  #aborter: AbortController | undefined
  #isBodyHeld = false
  #hasEnded = false

  constructor(request: IncomingMessage, response: ServerResponse, onEnd: () => void) {
    this.#request = request
    this.#response = response
    this.#onEnd = onEnd
  }

  /** Whether the client still has to send a part of the body, and the service reads it. */
  get isReceiving(): boolean {
    return !this.#request.complete && !this.#isBodyHeld
  }

  /** Whether a response is sent although the client still has to send a part of the body. */
  get isAnsweredEarly(): boolean {
    return !this.#request.complete && this.#response.headersSent
  }

  /** Says that the body is not read for now, because the request is queued; returns the end of that. */
  holdBody(): () => void {
    this.#isBodyHeld = true
    return () => {
      this.#isBodyHeld = false
    }
  }

  /** Throws if the request has ended, so that no work continues for a client that left. */
  throwIfEnded(): void {
    if (this.#hasEnded) throw clientDisconnected()
  }

  signal(): AbortSignal {
    this.#aborter ??= new AbortController()
    if (this.#hasEnded) this.#aborter.abort(clientDisconnected())
    return this.#aborter.signal
  }

  /** Runs a callback when the request ends, or immediately if it has ended. */
  defer(callback: () => void): void {
    if (this.#hasEnded) callback()
    else this.#deferred.push(callback)
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd()
    for (const callback of this.#deferred) callback()
    this.#deferred = []
    this.#aborter?.abort(clientDisconnected())
  }
}
