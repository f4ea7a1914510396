import type { AuditEntry, AuditRecord } from '../contract/audit-record.ts'

/**
 * The caller of a request, and a signal that is aborted when its client disconnects. Stores share
 * slow work fairly between callers, and stop work when its client has disconnected.
 */
export interface RequestContext {
  readonly callerId: string
  /** Returns the signal, which is created on demand because most requests never need it. */
  readonly signal: () => AbortSignal
  /** What the request took from memory; undefined if it took nothing, or once it was confirmed. */
  readonly recalled?: Recalled | undefined
  /** Called when a store has confirmed what the request took from memory. */
  readonly confirm?: () => void
  /** Called after each page that a store has read for the request. */
  readonly onRead?: (report: ReadReport) => void
  /** Set if the write of the request belongs in the audit log. */
  readonly audit?: WriteAudit | undefined
}

/** The kinds of plans by which stores read pages. */
export type PlanKind =
  | 'indexWalk'
  | 'keyWalk'
  | 'matchList'
  | 'mergedParts'
  | 'mergeWalks'
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

/**
 * What a request took from memory instead of the database, as numbers that increase with every
 * change. A store compares them in the transaction that reads the first page of the request.
 */
export interface Recalled {
  readonly catalogue: number
  /** Undefined if the API token was looked up, or if the caller has none. */
  readonly tokens: number | undefined
}

/** What a request took from memory has changed, so the request starts again. */
export class RecalledOutdated extends Error {
  constructor() {
    super('the caller or the catalogue has changed since it was read')
    this.name = 'RecalledOutdated'
  }
}

/** Compares what a request took from memory with the database. Throws `RecalledOutdated`. */
export function confirmRecalled(
  { recalled, confirm }: RequestContext,
  current: { readonly catalogue: number; readonly tokens?: number },
): void {
  if (recalled === undefined) return
  const { catalogue, tokens = current.tokens } = recalled
  if (catalogue !== current.catalogue || tokens !== current.tokens) throw new RecalledOutdated()
  confirm?.()
}

const NEVER = new AbortController().signal

/** The context of the service's own work: the demo, maintenance, commands that open a store. */
export const INTERNAL_CONTEXT: RequestContext = { callerId: 'internal', signal: () => NEVER }
