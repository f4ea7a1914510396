/**
 * Admits requests. Every request has a scope that lasts until the last byte of its response. When
 * the request ends, for whatever reason, the scope releases what it holds and aborts work that is
 * still running for it. After authentication, a request counts against the limits of its caller.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { CallerLimits } from '../../admission/caller-limits.ts'
import { CoalescedRead } from '../../admission/coalesced-read.ts'
import { FairQueue, type QueueState } from '../../admission/fair-queue.ts'
import type { FairTurns } from '../../admission/fair-turns.ts'
import { RefusalDelay } from '../../admission/refusal-delay.ts'
import type { ApiToken } from '../../store/object-store.ts'
import { RequestScope } from './request-scope.ts'

export { RequestScope } from './request-scope.ts'

/** The number of concurrent batches of one caller; `oqs import` sends three. */
const BATCHES_PER_CALLER = 4
/** Shorter than the time after which a connection is considered stalled. */
const MAX_BATCH_WAIT_MS = 20_000
const MAX_LOOK_UP_WAIT_MS = 5000
/** The expected duration of a lookup until some were measured. */
const FIRST_LOOK_UP_MS = 2
const KNOWN_TOKENS = 10_000
/** The number of pipelined requests on one connection. */
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
  readonly #knownTokens = new LRUCache<string, true>({ max: KNOWN_TOKENS })
  readonly #joinedLookUps = new Map<string, CoalescedRead<ApiToken | undefined>>()
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
  /** The scope of the last request of each connection, also after it has ended. */
  readonly #latest = new WeakMap<Socket, RequestScope>()

  constructor(limits: CallerLimits, turns: FairTurns) {
    this.#limits = limits
    this.#turns = turns
  }

  /** Opens the scope of a request. Returns undefined if its connection has too many requests. */
  open(request: IncomingMessage, response: ServerResponse): RequestScope | undefined {
    const { socket } = request
    const scopes = this.#scopesOf(socket)
    if (scopes.size >= MAX_PIPELINED_REQUESTS) return undefined
    const scope = new RequestScope(request, response, () => scopes.delete(scope))
    scopes.add(scope)
    this.#latest.set(socket, scope)
    response.once('close', () => scope.end())
    return scope
  }

  /** Counts a request of a caller. Throws `TooManyRequests` if the caller is at a limit. */
  admit(callerId: string, scope: RequestScope): void {
    this.#limits.enter(callerId)
    scope.callerId = callerId
    scope.defer(() => this.#limits.leave(callerId))
  }

  /** Returns a promise to wait for while other callers have their turn, or undefined to go ahead. */
  takeTurn(callerId: string): Promise<void> | undefined {
    return this.#turns.take(callerId)
  }

  /** Takes another turn for work that was interrupted since the given round. */
  resumeTurn(callerId: string, round: number): Promise<void> | undefined {
    return round === this.#turns.round ? undefined : this.#turns.take(callerId)
  }

  /** The current round of turns, see `resumeTurn`. */
  get round(): number {
    return this.#turns.round
  }

  /** Runs a write when the caller has a free slot. The body is not read before that. */
  async runBatch<T>(scope: RequestScope, write: () => Promise<T>): Promise<T> {
    scope.isBodyHeld = true
    const owner = { callerId: scope.callerId, signal: scope.signal() }
    return this.#batches.run(owner, () => {
      scope.isBodyHeld = false
      return write()
    })
  }

  /**
   * Looks up a token. Concurrent requests with one token share a lookup. Tokens that were never
   * valid here have few slots, queued by client address, so that they do not delay other callers.
   */
  lookUp(tokenHash: string, address: string, find: FindToken): ReturnType<FindToken> {
    if (!this.isKnown(tokenHash)) return this.#strangers.run({ callerId: address }, find)
    const known = this.#joinedLookUps.get(tokenHash)
    if (known !== undefined) return known.run()
    const lookUp = new CoalescedRead(
      () => this.#lookUps.run({ callerId: tokenHash }, find),
      () => this.#joinedLookUps.delete(tokenHash),
    )
    this.#joinedLookUps.set(tokenHash, lookUp)
    return lookUp.run()
  }

  /** Returns whether a token was valid before. It is still checked for every request. */
  isKnown(tokenHash: string): boolean {
    return this.#knownTokens.get(tokenHash) === true
  }

  noteKnown(tokenHash: string): void {
    this.#knownTokens.set(tokenHash, true)
  }

  /** Returns how long to delay the next refusal of a caller. */
  refusalDelayMs(callerId: string): number {
    return this.#refusals.next(callerId)
  }

  /** Resolves when every request of a connection that gets a response has it. */
  async untilAnswered(socket: Socket): Promise<void> {
    const answered = [...(this.#scopes.get(socket) ?? [])].filter(
      (scope) => !scope.isReceiving || scope.isAnsweredEarly,
    )
    await Promise.all(answered.map((scope) => new Promise<void>((resolve) => scope.defer(resolve))))
  }

  /** Returns whether the request that a connection still sends has its response already. */
  isAnsweredEarly(socket: Socket): boolean {
    return this.#latest.get(socket)?.isAnsweredEarly ?? false
  }

  /** Returns whether an idle connection is idle because its client waits for a response. */
  isClientWaiting(socket: Socket): boolean {
    const scopes = [...(this.#scopes.get(socket) ?? [])]
    return (
      socket.writableLength === 0 &&
      scopes.length > 0 &&
      scopes.every((scope) => !scope.isReceiving)
    )
  }

  /** The queues by name. */
  queues(): Readonly<Record<string, QueueState>> {
    return {
      batches: this.#batches.state(),
      'token lookups': this.#lookUps.state(),
      'unknown token lookups': this.#strangers.state(),
    }
  }

  /** Rejects queued and future batches. */
  drain(reason: string): void {
    this.#batches.close(reason)
  }

  #scopesOf(socket: Socket): Set<RequestScope> {
    const known = this.#scopes.get(socket)
    if (known !== undefined) return known
    const scopes = new Set<RequestScope>()
    this.#scopes.set(socket, scopes)
    // Responses that wait behind another one do not emit `close` when the connection closes.
    socket.once('close', () => {
      for (const scope of [...scopes]) scope.end()
    })
    return scopes
  }
}
