/** The audit log as it crosses the port: records that are added, listed, and expire. */

import type { AuditRecord } from '../contract/audit-record.ts'
import type { RequestContext } from './port/request-context.ts'

/**
 * An append-only log. The record of a write of objects or of a definition is added by the write
 * itself, see `RequestContext.audit`; this adds all others.
 */
export interface AuditLog {
  /** Adds records; they are on disk when the promise resolves. */
  append(records: readonly AuditRecord[]): Promise<void>
  /** Returns the records that match, the latest first. Times out and stops like `readPage`. */
  list(request: ListAuditRequest, context?: RequestContext): Promise<readonly StoredAuditRecord[]>
}

/** Undefined members match all records. */
export interface AuditFilter {
  /** The first and the last millisecond, the latter excluded. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** The id or the name of the caller. */
  readonly caller?: string | undefined
  readonly operation?: string | undefined
  readonly ontology?: string | undefined
}

export interface ListAuditRequest extends AuditFilter {
  /** The list starts after this record. */
  readonly after?: AuditCursor | undefined
  readonly maxRecords: number
}

/** The position of a record in the list. */
interface AuditCursor {
  readonly atMs: number
  readonly id: number
}

export interface StoredAuditRecord {
  /** Increases in the order in which records are added, with gaps. */
  readonly id: number
  readonly record: AuditRecord
}
