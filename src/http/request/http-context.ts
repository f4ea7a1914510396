/** The requests in progress, each with its context. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { AuditCaller } from '../../contract/audit-record.ts'
import { clientDisconnected } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import type { CachedIdentity, ReadReport, StoreWork } from '../../store/port/request-context.ts'
import type { RequestAudit } from '../audit/request-audit.ts'
import type { RequestTrace } from '../tracing/tracing.ts'

/** What an endpoint tells the audit log about its request, besides what was read. */
interface AuditFacts {
  /** The operation, if the endpoint has several. */
  readonly operation?: string
  /** The type that the request names elsewhere than in its path: in its body, or by a ticket. */
  readonly namedType?: { readonly ontology: string; readonly objectType: string }
  /** The names or ids of the tokens, clients or policies that the request wrote. */
  readonly writtenKeys?: readonly string[]
  /** The OAuth client that asks for a token, and so is not a caller yet. */
  readonly oauthClient?: AuditCaller
}

/** The page that a request sent. */
interface SentPage {
  /** Undefined if it is not a page of objects. */
  readonly objects?: number | undefined
  /** The bytes of the body; undefined if none was sent. */
  readonly bytes?: number | undefined
}

/**
 * A request, from its arrival to the last byte of its response or the end of its connection: whom it
 * counts for, what it has done so far, and what is released when it ends. Stores and endpoints report
 * to it; the request log, metrics, traces and the audit log read it when the request ends.
 */
export class HttpContext implements ServiceContext {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #startedAtMs = performance.now()
  #deferred: (() => void)[] = []
  #aborter: AbortController | undefined
  #isBodyHeld = false
  #hasEnded = false
  readonly #reading = new OverlapTimer()
  readonly #writing = new OverlapTimer()
  #callerId: string | undefined
  #cachedIdentity: CachedIdentity | undefined
  /** The pattern of the route, which unlike the path contains no data. */
  readonly route: string
  /** Undefined if the request is not traced. */
  trace: RequestTrace | undefined
  /** The record of the write in the audit log; undefined if it is not audited. */
  audit: RequestAudit | undefined
  auditFacts: AuditFacts = {}
  sentPage: SentPage = {}
  /** How the pages of the request were read. */
  readonly reads: ReadReport[] = []
  /** The types that were read, and the number of objects that were read for the response. */
  readTypes: ReadonlySet<string> | undefined
  readObjects: number | undefined

  constructor(request: IncomingMessage, response: ServerResponse, route: string) {
    this.#request = request
    this.#response = response
    this.route = route
  }

  /** The id of the caller; until that is known, the address of the request. */
  get callerId(): string {
    return this.#callerId ?? `address ${this.#request.socket.remoteAddress}`
  }

  /** Whether the caller is known. */
  get isIdentified(): boolean {
    return this.#callerId !== undefined
  }

  get cachedIdentity(): CachedIdentity | undefined {
    return this.#cachedIdentity
  }

  /** Sets the caller, and what was taken from caches to identify it. */
  identify(callerId: string, cachedIdentity?: CachedIdentity): void {
    this.#callerId = callerId
    this.#cachedIdentity = cachedIdentity
  }

  /** Makes the request depend on the database alone. Returns what it took from caches, if unverified. */
  dropCachedIdentity(): CachedIdentity | undefined {
    const cached = this.#cachedIdentity
    if (cached === undefined || cached.isVerified) return undefined
    this.#cachedIdentity = undefined
    return cached
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

  defer(callback: () => void): void {
    if (this.#hasEnded) callback()
    else this.#deferred.push(callback)
  }

  /** Releases what the request holds, and aborts work that still runs for it. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const callback of this.#deferred) callback()
    this.#deferred = []
    this.#aborter?.abort(clientDisconnected())
  }

  elapsedMs(): number {
    return performance.now() - this.#startedAtMs
  }

  /** The time that reading from the store took, waiting for a free slot included. */
  get readMs(): number {
    return this.#reading.ms
  }

  /** The same for writing to it. */
  get writeMs(): number {
    return this.#writing.ms
  }

  /** Runs work of the store. Other work than reads appears in the trace. */
  async measure<T>(work: StoreWork, run: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    const timer = work === 'commit' ? this.#writing : this.#reading
    timer.start(startedAtMs)
    try {
      return await run()
    } finally {
      timer.stop(performance.now())
      if (work !== 'read') this.trace?.addStoreWork(work, startedAtMs)
    }
  }

  onRead(report: ReadReport): void {
    this.reads.push(report)
    this.trace?.addRead(report)
  }

  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void {
    const names = new Set(types.map(({ apiName }) => apiName))
    this.readTypes = this.readTypes?.union(names) ?? names
    this.readObjects = (this.readObjects ?? 0) + objects
  }

  noteAudit(facts: AuditFacts): void {
    this.auditFacts = { ...this.auditFacts, ...facts }
  }
}

/** Measures work of which several parts may run at once; time in which they overlap counts once. */
class OverlapTimer {
  #active = 0
  #sinceMs = 0
  ms = 0

  start(nowMs: number): void {
    if (this.#active++ === 0) this.#sinceMs = nowMs
  }

  stop(nowMs: number): void {
    if (--this.#active === 0) this.ms += nowMs - this.#sinceMs
  }
}

/** The number of pipelined requests on one connection. */
const MAX_PIPELINED_REQUESTS = 16

/** The requests in progress on each connection, also several on one (pipelining). */
export class OpenRequests {
  readonly #open = new WeakMap<Socket, Set<HttpContext>>()
  /** The last request of each connection, also after it has ended. */
  readonly #latest = new WeakMap<Socket, HttpContext>()

  /** Opens a request. Returns undefined if its connection has too many. */
  open(
    request: IncomingMessage,
    response: ServerResponse,
    route = 'none',
  ): HttpContext | undefined {
    const { socket } = request
    const open = this.#openOn(socket)
    if (open.size >= MAX_PIPELINED_REQUESTS) return undefined
    const context = new HttpContext(request, response, route)
    context.defer(() => open.delete(context))
    open.add(context)
    this.#latest.set(socket, context)
    // Closes once; `once` would keep another function for each request.
    response.on('close', () => context.end())
    return context
  }

  /** Resolves once every request on the connection that will be answered has been answered. */
  async untilAnswered(socket: Socket): Promise<void> {
    const answered = [...(this.#open.get(socket) ?? [])].filter(
      (request) => !request.isReceiving || request.isAnsweredEarly,
    )
    await Promise.all(answered.map((request) => new Promise<void>((done) => request.defer(done))))
  }

  /** Returns whether the request that a connection still sends has its response already. */
  isAnsweredEarly(socket: Socket): boolean {
    return this.#latest.get(socket)?.isAnsweredEarly ?? false
  }

  /** Returns whether an idle connection is idle because its client waits for a response. */
  isClientWaiting(socket: Socket): boolean {
    const open = [...(this.#open.get(socket) ?? [])]
    return (
      socket.writableLength === 0 &&
      open.length > 0 &&
      open.every((request) => !request.isReceiving)
    )
  }

  /** Returns whether a connection has requests in progress, and none of a known caller. */
  isUnidentified(socket: Socket): boolean {
    const open = [...(this.#open.get(socket) ?? [])]
    return open.length > 0 && !open.some((request) => request.isIdentified)
  }

  #openOn(socket: Socket): Set<HttpContext> {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const open = new Set<HttpContext>()
    this.#open.set(socket, open)
    // Responses that wait behind another one do not emit `close` when the connection closes.
    socket.on('close', () => {
      for (const request of [...open]) request.end()
    })
    return open
  }
}
