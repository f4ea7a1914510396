import type { AuditEntry, AuditRecord } from '../../contract/audit-record.ts'
import type { WriteAudit } from '../../store/port/request-context.ts'
import type { AuditSink } from './audit-sink.ts'

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
