import type { AuditLevel, AuditRecord } from '../../contract/audit-record.ts'

/** Where records of the audit log go. */
export interface AuditSink {
  readonly level: Exclude<AuditLevel, 'off'>
  /** Adds a record soon, together with others. Never waits, and never fails the request. */
  add(record: AuditRecord): void
  /** Adds a record; it is in the store when the promise resolves. */
  append(record: AuditRecord): Promise<void>
  /** Takes note of a record that a write has added to the store by itself. */
  noteStored(record: AuditRecord): void
  /** Counts a record that is not added, because there are too many of its kind. */
  skip(): void
  /** Resolves when the records that were added so far are in the store. */
  flush(): Promise<void>
}
