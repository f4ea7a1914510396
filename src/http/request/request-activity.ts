import type { AuditCaller } from '../../contract/audit-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ReadReport, StoreWork } from '../../store/port/request-context.ts'
import type { RequestTrace } from '../tracing/tracing.ts'

/** What an endpoint tells the audit log about its request, besides what was read. */
export interface AuditFacts {
  /** The type that the request names elsewhere than in its path: in its body, or by a ticket. */
  readonly namedType?: { readonly ontology: string; readonly objectType: string }
  /** The names or ids of the tokens, clients or policies that the request wrote. */
  readonly writtenKeys?: readonly string[]
  /** The OAuth client that asks for a token, and so is not a caller yet. */
  readonly oauthClient?: AuditCaller
}

/** The page that a request sent. */
export interface SentPage {
  /** Undefined if it is not a page of objects. */
  readonly objects?: number | undefined
  /** The bytes of the body; undefined if none was sent. */
  readonly bytes?: number | undefined
}

export interface ActivitySummary {
  /** How the pages of the request were read. */
  readonly reads: readonly ReadReport[]
  readonly page: SentPage
  /** The types that were read, and the number of objects that were read for the response. */
  readonly readTypes: ReadonlySet<string> | undefined
  readonly readObjects: number | undefined
  readonly auditFacts: AuditFacts
}

/**
 * What a request has done so far. Stores and endpoints report it; the request log, metrics, traces and
 * the audit log read it when the request ends.
 */
export class RequestActivity {
  readonly #startedAtMs = performance.now()
  readonly #trace: RequestTrace | undefined
  readonly #reads: ReadReport[] = []
  #storeMs = 0
  /** Concurrent reads count once. */
  #activeReads = 0
  #readingSinceMs = 0
  #page: SentPage = {}
  #readTypes: ReadonlySet<string> | undefined
  #readObjects: number | undefined
  #auditFacts: AuditFacts = {}

  /** `trace` is undefined if the request is not traced. */
  constructor(trace: RequestTrace | undefined) {
    this.#trace = trace
  }

  elapsedMs(): number {
    return performance.now() - this.#startedAtMs
  }

  /** The time that reading from the store took, waiting for a free slot included. */
  get storeMs(): number {
    return this.#storeMs
  }

  /** Returns what was reported so far. */
  summary(): ActivitySummary {
    return {
      reads: this.#reads,
      page: this.#page,
      readTypes: this.#readTypes,
      readObjects: this.#readObjects,
      auditFacts: this.#auditFacts,
    }
  }

  /** Runs work of the store. Reads count as time of the store, other work appears in the trace. */
  async measure<T>(work: StoreWork, run: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now()
    if (work !== 'commit' && this.#activeReads++ === 0) this.#readingSinceMs = startedAtMs
    try {
      return await run()
    } finally {
      if (work !== 'commit' && --this.#activeReads === 0) {
        this.#storeMs += performance.now() - this.#readingSinceMs
      }
      if (work !== 'read') this.#trace?.addStoreWork(work, startedAtMs)
    }
  }

  onRead(report: ReadReport): void {
    this.#reads.push(report)
    this.#trace?.addRead(report)
  }

  noteRead(types: readonly Pick<ObjectType, 'apiName'>[], objects: number): void {
    const names = new Set(types.map(({ apiName }) => apiName))
    this.#readTypes = this.#readTypes?.union(names) ?? names
    this.#readObjects = (this.#readObjects ?? 0) + objects
  }

  notePage(page: SentPage): void {
    this.#page = page
  }

  noteAudit(facts: AuditFacts): void {
    this.#auditFacts = { ...this.#auditFacts, ...facts }
  }
}
