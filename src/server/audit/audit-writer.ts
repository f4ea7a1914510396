/**
 * Adds records to the audit log of the store, those of reads in batches, and copies all of them to a
 * file if one is set. Records that the store does not take are kept and tried again; if too many
 * wait, further ones are dropped and counted.
 */
import type { AuditLevel, AuditRecord } from '../../contract/audit-record.ts'
import type { AuditSink } from '../../http/audit/request-audit.ts'
import type { AuditLog } from '../../store/object-store.ts'
import type { Log } from '../log.ts'
import type { AuditLines } from './audit-lines.ts'

/** How long a record of a read may wait for others. */
const FLUSH_INTERVAL_MS = 1000
/** The number of records that one write to the store adds. */
const BATCH_RECORDS = 500
/** About 5 MB. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** What a record takes besides its keys; a rough measure. */
const RECORD_BYTES = 1000

export interface AuditWriterOptions {
  readonly level: Exclude<AuditLevel, 'off'>
  readonly store: { readonly audit: AuditLog }
  /** Undefined without a file. */
  readonly lines: AuditLines | undefined
  readonly log: Log
}

/** Numbers since the start of the process. */
export interface AuditState {
  /** Records that are in the store. */
  readonly stored: number
  /** Records that were dropped, because too many were waiting. */
  readonly dropped: number
  /** Attempts to add records that failed. */
  readonly failures: number
  /** Records that wait to be stored. */
  readonly waiting: number
}

export class AuditWriter implements AuditSink, AsyncDisposable {
  readonly level: AuditSink['level']
  readonly #log: AuditLog
  readonly #lines: AuditLines | undefined
  readonly #emit: Log
  #waiting: AuditRecord[] = []
  #waitingBytes = 0
  #flushing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #stored = 0
  #dropped = 0
  #failures = 0
  #hasFailed = false

  constructor({ level, store, lines, log }: AuditWriterOptions) {
    this.level = level
    this.#log = store.audit
    this.#lines = lines
    this.#emit = log
  }

  state(): AuditState {
    return {
      stored: this.#stored,
      dropped: this.#dropped,
      failures: this.#failures,
      waiting: this.#waiting.length,
    }
  }

  add(record: AuditRecord): void {
    this.#lines?.write(record)
    if (this.#waiting.length >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES) {
      this.#dropped += 1
      return
    }
    this.#waiting.push(record)
    this.#waitingBytes += bytesOf(record)
    // After a failure only the timer tries again.
    if (this.#waiting.length >= BATCH_RECORDS && !this.#hasFailed) this.#flushLater(0)
    else this.#flushLater(FLUSH_INTERVAL_MS)
  }

  async append(record: AuditRecord): Promise<void> {
    await this.#store([record])
    this.#lines?.write(record)
  }

  noteStored(record: AuditRecord): void {
    this.#stored += 1
    this.#lines?.write(record)
  }

  skip(): void {
    this.#dropped += 1
  }

  async flush(): Promise<void> {
    // Records that arrived since may not be in the batch that is being added.
    await this.#flushing?.catch(() => {})
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined
    })
    await this.#flushing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().catch(() => {})
    clearTimeout(this.#timer)
    this.#lines?.[Symbol.dispose]()
  }

  #flushLater(delayMs: number): void {
    if (this.#timer !== undefined && delayMs > 0) return
    clearTimeout(this.#timer)
    // The failure is logged, and the records wait for the next attempt.
    this.#timer = setTimeout(() => void this.flush().catch(() => {}), delayMs).unref()
  }

  async #flushAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_RECORDS)
      try {
        await this.#store(batch)
      } catch (error) {
        this.#flushLater(FLUSH_INTERVAL_MS)
        throw error
      }
      this.#waiting.splice(0, batch.length)
      this.#waitingBytes -= batch.reduce((sum, record) => sum + bytesOf(record), 0)
    }
  }

  async #store(records: readonly AuditRecord[]): Promise<void> {
    try {
      await this.#log.append(records)
      this.#stored += records.length
      this.#hasFailed = false
    } catch (error) {
      this.#failures += 1
      // Reported once, not for each attempt.
      if (!this.#hasFailed) this.#emit({ event: 'auditFailed', error })
      this.#hasFailed = true
      throw error
    }
  }
}

function bytesOf({ keys = [] }: AuditRecord): number {
  return keys.reduce((sum, key) => sum + 2 * key.length + 50, RECORD_BYTES)
}
