/**
 * Lets requests in. Every request has a scope, from its first byte to the last byte of its answer:
 * when the request ends, however it ends, what the scope holds is released and what still works for
 * it is told to stop. Once its caller is known, a request counts against the limits of that caller.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CallerLimits } from '../../admission/caller-limits.ts'
import { FairQueue } from '../../admission/fair-queue.ts'
import type { FairTurns } from '../../admission/fair-turns.ts'
import { JoinedRead } from '../../admission/joined-read.ts'
import { RefusalDelay } from '../../admission/refusal-delay.ts'
import type { RequestContext } from '../../admission/request-context.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { RecentMap } from '../../contract/recent-map.ts'
import type { ApiToken } from '../../store/object-store.ts'

/** Batches of one caller that are received and written at once; `oqs import` sends two. */
const BATCHES_PER_CALLER = 4
/** Shorter than the time after which a connection counts as stalled. */
const MAX_BATCH_WAIT_MS = 20_000
const MAX_LOOK_UP_WAIT_MS = 5000
/** The expected duration of a lookup until some were measured. */
const FIRST_LOOK_UP_MS = 2
const KNOWN_TOKENS = 10_000
/** Requests that may be in progress on one connection, sent one behind the other. */
const MAX_PIPELINED_REQUESTS = 16

type FindToken = () => Promise<ApiToken | undefined>

export class Admission {
  readonly #limits: CallerLimits
  readonly #turns: FairTurns
  readonly #refusals = new RefusalDelay()
  readonly #batches = new FairQueue({
    slots: Infinity,
    slotsPerCaller: BATCHES_PER_CALLER,
    maxWaitMs: MAX_BATCH_WAIT_MS,
    busyReason: 'Too many batches are being written.',
  })
  readonly #knownTokens = new RecentMap<true>(KNOWN_TOKENS)
  readonly #joinedLookUps = new Map<string, JoinedRead<ApiToken | undefined>>()
  readonly #lookUps = new FairQueue({
    slots: 4,
    slotsPerCaller: 3,
    maxWaitMs: MAX_LOOK_UP_WAIT_MS,
    busyReason: 'Too many tokens are being looked up.',
    firstAverageMs: FIRST_LOOK_UP_MS,
  })
  readonly #strangers = new FairQueue({
    slots: 2,
    slotsPerCaller: 1,
    maxWaitMs: MAX_LOOK_UP_WAIT_MS,
    busyReason: 'Too many unknown tokens are being looked up.',
    firstAverageMs: FIRST_LOOK_UP_MS,
  })
  readonly #scopes = new WeakMap<Socket, Set<RequestScope>>()

  constructor(limits: CallerLimits, turns: FairTurns) {
    this.#limits = limits
    this.#turns = turns
  }

  /** Opens the scope of a request, or gives undefined when its connection has too many of them. */
  open(request: IncomingMessage, response: ServerResponse): RequestScope | undefined {
    const { socket } = request
    const scopes = this.#scopesOf(socket)
    if (scopes.size >= MAX_PIPELINED_REQUESTS) return undefined
    const scope = new RequestScope(request, () => scopes.delete(scope))
    scopes.add(scope)
    response.once('close', () => scope.end())
    return scope
  }

  /** Counts a request for its caller. Throws `TooManyRequests` when the caller is at a limit. */
  admit(callerId: string, scope: RequestScope): void {
    this.#limits.enter(callerId)
    scope.callerId = callerId
    scope.defer(() => this.#limits.leave(callerId))
  }

  /** Undefined: go ahead. Otherwise other callers come first, and the work waits for the promise. */
  takeTurn(callerId: string): Promise<void> | undefined {
    return this.#turns.take(callerId)
  }

  /** Receives and writes a batch. The body of a batch that waits is not read meanwhile. */
  async runBatch<T>(scope: RequestScope, write: () => Promise<T>): Promise<T> {
    scope.isBodyHeld = true
    const owner = { callerId: scope.callerId, signal: scope.signal() }
    return this.#batches.run(owner, () => {
      scope.isBodyHeld = false
      return write()
    })
  }

  /**
   * Looks up a token. Requests of one caller that arrive together share a lookup. Tokens that nobody
   * knows do not keep others waiting: they share few slots, by the address that they come from.
   */
  lookUp(tokenHash: string, address: string, find: FindToken): ReturnType<FindToken> {
    if (!this.isKnown(tokenHash)) return this.#strangers.run({ callerId: address }, find)
    const known = this.#joinedLookUps.get(tokenHash)
    if (known !== undefined) return known.run()
    const lookUp = new JoinedRead(
      () => this.#lookUps.run({ callerId: tokenHash }, find),
      () => this.#joinedLookUps.delete(tokenHash),
    )
    this.#joinedLookUps.set(tokenHash, lookUp)
    return lookUp.run()
  }

  /** Whether a token was good before. It is still looked up for every request. */
  isKnown(tokenHash: string): boolean {
    return this.#knownTokens.get(tokenHash) !== undefined
  }

  noteKnown(tokenHash: string): void {
    this.#knownTokens.set(tokenHash, true)
  }

  /** Milliseconds to wait before a caller is told that it was refused. */
  refusalDelayMs(callerId: string): number {
    return this.#refusals.next(callerId)
  }

  /** Whether a silent connection is silent because its client waits for the service. */
  isClientWaiting(socket: Socket): boolean {
    const scopes = [...(this.#scopes.get(socket) ?? [])]
    return socket.writableLength === 0 && scopes.length > 0 && scopes.every(isAnswering)
  }

  /** Refuses waiting batches now, and later ones. */
  drain(reason: string): void {
    this.#batches.close(reason)
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
  /** Empty until the caller is known. */
  callerId = ''
  /** Whether the service itself does not read the body, because the request waits for others. */
  isBodyHeld = false
  readonly #request: IncomingMessage
  readonly #onEnd: () => void
  #deferred: (() => void)[] = []
  #aborter: AbortController | undefined
  #hasEnded = false

  constructor(request: IncomingMessage, onEnd: () => void) {
    this.#request = request
    this.#onEnd = onEnd
  }

  /** Whether the rest of the body is still expected from the client. */
  get isReceiving(): boolean {
    return !this.#request.complete && !this.isBodyHeld
  }

  /** Ends work for a client that has gone. */
  throwIfEnded(): void {
    if (this.#hasEnded) throw clientGone()
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

function isAnswering(scope: RequestScope): boolean {
  return !scope.isReceiving
}

function clientGone(): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', { reason: 'the request broke off' })
}
