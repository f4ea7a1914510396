/** What stores are told about a request, and what they report about it. */
import type { AuditEntry, AuditRecord } from '../../contract/audit-record.ts'

/**
 * The caller of a request, and a signal that is aborted when its client disconnects. Stores share
 * slow work fairly between callers, and stop work when its client has disconnected.
 */
export interface RequestContext {
  readonly callerId: string
  /** Returns the signal, which is created on demand because most requests never need it. */
  signal(): AbortSignal
  /** What the request took from caches; the first page of the request must verify it. */
  readonly cachedIdentity?: CachedIdentity | undefined
  /** Called after each page that a store has read for the request. */
  onRead?(report: ReadReport): void
  /** Runs work of the store, and measures how long it takes. */
  measure?<T>(work: StoreWork, run: () => Promise<T>): Promise<T>
  /** Set if the write of the request belongs in the audit log. */
  readonly audit?: WriteAudit | undefined
}

export type StoreWork = 'read' | 'aggregate' | 'commit'

/** The kinds of plans by which stores read pages. */
export type PlanKind =
  | 'columns'
  | 'indexWalk'
  | 'keyList'
  | 'keyWalk'
  | 'mergedParts'
  | 'noTable'
  | 'pageCache'
  | 'parts'
  | 'sortFewMatches'
  | 'valueWalk'

/** How a page was read, and how long it took, without waiting for a turn. */
export interface ReadReport {
  readonly plan: PlanKind
  readonly planMs: number
  readonly sqlMs: number
}

/** How a store audits a write: it adds a record in the transaction of the write. */
export interface WriteAudit {
  readonly entry: AuditEntry
  /** Called when the record is on disk, together with what was written. */
  readonly onRecorded: (record: AuditRecord) => void
}

/** Numbers that increase with every change of the catalogue, and of tokens and policies. */
export interface Generations {
  readonly catalogue: number
  /** Undefined if no token and no policy was taken from a cache, or if the store caches none. */
  readonly tokens?: number | undefined
}

/**
 * The caller and the catalogue that a request took from caches instead of the database. A store
 * compares their generations in the transaction that reads the first page of the request.
 */
export class CachedIdentity {
  readonly #cached: Generations
  #isVerified = false

  constructor(cached: Generations) {
    this.#cached = cached
  }

  get isVerified(): boolean {
    return this.#isVerified
  }

  /** Whether the rights of the caller are from a cache, and not only the catalogue. */
  get hasCachedRights(): boolean {
    return this.#cached.tokens !== undefined
  }

  /** Compares the generations with those of the database. Throws `StaleIdentity`. */
  verify(current: Generations): void {
    if (this.#isVerified) return
    const { catalogue, tokens = current.tokens } = this.#cached
    if (catalogue !== current.catalogue || tokens !== current.tokens) throw new StaleIdentity()
    this.#isVerified = true
  }
}

/** A safety net: throws if a response would leave before its request is verified. */
export function requireVerified(context: Pick<RequestContext, 'cachedIdentity'> | undefined): void {
  const cached = context?.cachedIdentity
  if (cached !== undefined && !cached.isVerified) throw new Error('the caller is not verified')
}

/** What a request took from caches has changed since, so the request starts again. */
export class StaleIdentity extends Error {
  constructor() {
    super('the caller or the catalogue has changed since it was read')
    this.name = 'StaleIdentity'
  }
}

const NEVER = new AbortController().signal

/** The context of the service's own work: the demo, maintenance, commands that open a store. */
export const INTERNAL_CONTEXT: RequestContext = { callerId: 'internal', signal: () => NEVER }

/** Sends the report of a page to the request that it was read for. */
export function reported<Page>(context: RequestContext, page: Page): Page {
  const { report } = page as { readonly report?: ReadReport }
  if (report !== undefined) context.onRead?.(report)
  return page
}

/** Measures one read of a page. */
export class ReadTimer {
  readonly #startedAtMs = performance.now()
  #plannedAtMs = this.#startedAtMs

  /** Ends the time that planning takes. */
  planned(): void {
    this.#plannedAtMs = performance.now()
  }

  report(plan: PlanKind): ReadReport {
    const planMs = this.#plannedAtMs - this.#startedAtMs
    return { plan, planMs, sqlMs: performance.now() - this.#plannedAtMs }
  }
}

/** Adds the report of a page that is complete. */
export function withReport<Page extends object | 'reclaimed'>(
  page: Page,
  timer: ReadTimer,
  plan: PlanKind,
): Page {
  return page === 'reclaimed' ? page : { ...(page as object & Page), report: timer.report(plan) }
}

/** The report of a page that was found in memory. */
export const FROM_CACHE: ReadReport = { plan: 'pageCache', planMs: 0, sqlMs: 0 }

/** Runs work of the store, and measures it if the request wants that. */
export function measured<T>(
  context: RequestContext | undefined,
  work: StoreWork,
  run: () => Promise<T>,
): Promise<T> {
  return context?.measure === undefined ? run() : context.measure(work, run)
}
