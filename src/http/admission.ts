/**
 * Lets requests in. From authentication to the last byte of its answer, a request counts against the
 * limits of its caller, and it has a scope: when the request ends, however it ends, what the scope
 * holds is released and what still works for it is told to stop.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CallerLimits } from '../admission/caller-limits.ts'
import type { FairTurns } from '../admission/fair-turns.ts'
import type { RequestContext } from '../admission/request-context.ts'
import { ObjectQueryError } from '../contract/errors.ts'

export class Admission {
  readonly #limits: CallerLimits
  readonly #turns: FairTurns
  /** Requests in progress, by connection: one connection may have many, one behind the other. */
  readonly #scopes = new WeakMap<Socket, Set<RequestScope>>()

  constructor(limits: CallerLimits, turns: FairTurns) {
    this.#limits = limits
    this.#turns = turns
  }

  /** Throws `TooManyRequests` when the caller has reached a limit. */
  admit(callerId: string, request: IncomingMessage, response: ServerResponse): RequestScope {
    this.#limits.enter(callerId)
    const { socket } = request
    const scopes = this.#scopesOf(socket)
    const scope = new RequestScope(callerId, request, () => {
      scopes.delete(scope)
      this.#limits.leave(callerId)
    })
    scopes.add(scope)
    response.once('close', () => scope.end())
    // The connection may have been lost while the caller was looked up.
    if (socket.destroyed) scope.end()
    return scope
  }

  /** Undefined: go ahead. Otherwise other callers come first, and the work waits for the promise. */
  takeTurn(callerId: string): Promise<void> | undefined {
    return this.#turns.take(callerId)
  }

  /** Whether a silent connection is one whose client neither sends nor takes what it should. */
  isStalled(socket: Socket): boolean {
    if (socket.writableLength > 0) return true
    const scopes = this.#scopes.get(socket) ?? []
    return [...scopes].some((scope) => scope.isReceiving)
  }

  #scopesOf(socket: Socket): Set<RequestScope> {
    const known = this.#scopes.get(socket)
    if (known !== undefined) return known
    const scopes = new Set<RequestScope>()
    this.#scopes.set(socket, scopes)
    // Answers that were queued behind another one are not told that the connection has gone.
    socket.once('close', () => {
      for (const scope of [...scopes]) scope.end()
    })
    return scopes
  }
}

/** One request in progress. */
export class RequestScope implements RequestContext {
  readonly callerId: string
  readonly #request: IncomingMessage
  readonly #onEnd: () => void
  #deferred: (() => void)[] = []
  #aborter: AbortController | undefined
  #hasEnded = false

  constructor(callerId: string, request: IncomingMessage, onEnd: () => void) {
    this.callerId = callerId
    this.#request = request
    this.#onEnd = onEnd
  }

  get isReceiving(): boolean {
    return !this.#request.complete
  }

  signal(): AbortSignal {
    this.#aborter ??= new AbortController()
    if (this.#hasEnded) this.#aborter.abort(clientGone())
    return this.#aborter.signal
  }

  /** Calls back when the request ends; at once when it has ended already. */
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
    this.#aborter?.abort(clientGone())
  }
}

function clientGone(): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', { reason: 'the request broke off' })
}
