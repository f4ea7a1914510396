/** What a request in progress holds and has measured, until the last byte of its response. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ReadReport, Recalled, RequestContext } from '../../admission/request-context.ts'
import type { AuditCaller } from '../../contract/audit-record.ts'
import { clientDisconnected } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { RequestAudit } from '../audit/request-audit.ts'
import type { RequestTimes } from '../response/data-headers.ts'
import type { RequestTrace, StoreWork } from '../tracing/tracing.ts'

/** The scope of one request in progress. */
export class RequestScope implements RequestContext, RequestTimes {
  /** Empty before authentication. */
  callerId = ''
  /** Whether the service delays reading the body, because the request is queued. */
  isBodyHeld = false
  storeMs = 0
  /** The pattern of the route, if the request has a caller. */
  route: string | undefined
  /** How the pages of the request were read. */
  readonly reads: ReadReport[] = []
  /** The number of objects in the page; undefined if no page was read. */
  objects: number | undefined
  /** The type that the request names elsewhere than in its path: in its body, or by a ticket. */
  namedType: { readonly ontology: string; readonly objectType: string } | undefined
  /** The types that were read, and the number of objects that were read for the response. */
  readTypes: ReadonlySet<string> | undefined
  readObjects: number | undefined
  /** The ids of tokens and clients that the request created or revoked. */
  writtenKeys: readonly string[] | undefined
  /** The OAuth client that asks for a token, and so is not a caller yet. */
  oauthClient: AuditCaller | undefined
  /** Set while a write that is audited is handled. */
  audit: RequestAudit | undefined
  /** Set if the request is traced. */
  trace: RequestTrace | undefined
  /** The bytes of the body, if it is sent without the framework. */
  bodyBytes: number | undefined
  readonly #startedAtMs = performance.now()
  recalled: Recalled | undefined
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #onEnd: () => void
  #deferred: (() => void)[] = []
  #aborter: AbortController | undefined
  #hasEnded = false

  constructor(request: IncomingMessage, response: ServerResponse, onEnd: () => void) {
    this.#request = request
    this.#response = response
    this.#onEnd = onEnd
  }

  /** Whether the client still has to send a part of the body. */
  get isReceiving(): boolean {
    return !this.#request.complete && !this.isBodyHeld
  }

  /** Whether a response is sent although the client still has to send a part of the body. */
  get isAnsweredEarly(): boolean {
    return !this.#request.complete && this.#response.headersSent
  }

  elapsedMs(): number {
    return performance.now() - this.#startedAtMs
  }

  /** Runs a read of the store and adds its duration, waiting for a free slot included. */
  async timeStore<T>(read: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    try {
      return await read()
    } finally {
      this.storeMs += performance.now() - startedAtMs
    }
  }

  /** Runs work of the store that is not a page, and adds it to the trace. */
  async traceStore<T>(name: StoreWork, work: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      this.trace?.addStoreWork(name, startedAtMs)
    }
  }

  /** Takes note of what was read, for the audit log. */
  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void {
    const names = new Set(types.map(({ apiName }) => apiName))
    this.readTypes = this.readTypes?.union(names) ?? names
    this.readObjects = (this.readObjects ?? 0) + objects
  }

  /** Throws if the request has ended, so that no work continues for a client that left. */
  throwIfEnded(): void {
    if (this.#hasEnded) throw clientDisconnected()
  }

  readonly onRead = (report: ReadReport): void => {
    this.reads.push(report)
    this.trace?.addRead(report)
  }

  readonly confirm = (): void => {
    this.recalled = undefined
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
