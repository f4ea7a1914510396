import type { AuditEntry, AuditLevel, AuditRecord } from '../../contract/audit-record.ts'
import type { WriteAudit } from '../../store/port/request-context.ts'

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

/** The record of one write in the audit log, and whether it has been added. */
export class RequestAudit implements WriteAudit {
  readonly entry: AuditEntry
  readonly #sink: AuditSink
  #isRecorded = false

  constructor(entry: AuditEntry, sink: AuditSink) {
    this.entry = entry
    this.#sink = sink
  }

  /** Whether the log has a record of the request. */
  get isRecorded(): boolean {
    return this.#isRecorded
  }

  readonly onRecorded = (record: AuditRecord): void => {
    this.#isRecorded = true
    this.#sink.noteStored(record)
  }

  /** Adds the record of a write that its store did not add, before the write is acknowledged. */
  async append(record: AuditRecord): Promise<void> {
    await this.#sink.append({ ...record, atMs: this.entry.atMs })
    this.#isRecorded = true
  }
}
