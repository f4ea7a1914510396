/**
 * Reports the state of a sync to the service, whose status and metrics show it: at each change of the
 * state, and every few seconds, so that a sync that has stopped is one whose report grows old.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOf } from '../../client/addresses.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { OqsError } from '../../client/oqs-error.ts'
import {
  SOURCE_PROBLEM_MAX_LENGTH,
  type SourceReportBody,
  STOP_REASON_MAX_LENGTH,
  STOPPED_TABLES_MAX,
} from '../../contract/source-report.ts'
import { connectSource } from './connect-source.ts'
import type { ContinuedTables } from './continue-sync.ts'
import { LagClock } from './lag-clock.ts'
import { readPosition, readSlot } from './replication-slot.ts'
import { slotOf } from './type-owners.ts'

const INTERVAL_MS = 15_000
/** Neither a source nor a service that hangs keeps the sync from ending. */
const TIMEOUT_MS = 5000

export interface ReporterOptions {
  readonly url: string
  readonly ontology: string
  readonly once: boolean
  /** How long ago the source committed what was written last. */
  readonly readLagMs: () => number
  readonly onNote: (text: string) => void
}

type Tables = Pick<SourceReportBody, 'tables' | 'stoppedTables'>
type Lag = Pick<SourceReportBody, 'lagBytes' | 'lagSeconds' | 'retainedBytes'>

export class SyncReporter {
  readonly #endpoints: Endpoints
  readonly #options: ReporterOptions
  readonly #clock = new LagClock()
  readonly #timer: NodeJS.Timeout
  #owner: string | undefined
  #state: Pick<SourceReportBody, 'state' | 'problem'> = { state: 'following' }
  #tables: Tables = { tables: 0, stoppedTables: [] }
  #lag: Lag = {}
  #hasMeasured = false
  #sending = Promise.resolve()
  #isWaiting = false

  constructor(endpoints: Endpoints, options: ReporterOptions) {
    this.#endpoints = endpoints
    this.#options = options
    this.#timer = setInterval(() => this.#sendNext(), INTERVAL_MS)
  }

  /** Takes the slot and its server, see `ownerName`. Nothing is sent before. */
  setOwner(owner: string): void {
    this.#owner = owner
  }

  /** Takes the tables that are followed, and why others are not any more. */
  setTables({ mappings, stopped }: Pick<ContinuedTables, 'mappings' | 'stopped'>): void {
    const stoppedTables = Array.from(stopped, ([table, reason]) => ({
      table,
      reason: reason.slice(0, STOP_REASON_MAX_LENGTH),
    }))
    this.#tables = {
      tables: mappings.length,
      stoppedTables: stoppedTables.slice(0, STOPPED_TABLES_MAX),
    }
  }

  report(state: SourceReportBody['state'], problem?: string): void {
    this.#state = {
      state,
      ...(problem !== undefined && { problem: problem.slice(0, SOURCE_PROBLEM_MAX_LENGTH) }),
    }
    this.#sendNext()
  }

  /** Resolves when the last state is sent, or after a few seconds. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.race([this.#sending, sleep(2 * TIMEOUT_MS, undefined, { ref: false })])
  }

  /** Sends a report after the one under way; it has the state of that time. */
  #sendNext(): void {
    const owner = this.#owner
    if (this.#isWaiting || owner === undefined) return
    this.#isWaiting = true
    this.#sending = this.#sending.then(async () => {
      this.#isWaiting = false
      await this.#measure(slotOf(owner))
      await this.#send(owner)
    })
  }

  async #measure(slotName: string): Promise<void> {
    try {
      await using client = await connectSource(this.#options.url, { timeoutMs: TIMEOUT_MS })
      const lsn = await readPosition(client)
      const slot = await readSlot(client, slotName)
      // Before the first copy is complete, there is nothing to be behind of.
      if (slot === undefined) return
      const { confirmed, retainedBytes } = slot
      this.#clock.measure({ lsn, atMs: performance.now() }, confirmed)
      const lagBytes = lsn > confirmed ? Number(lsn - confirmed) : 0
      const lagMs = lagBytes === 0 ? 0 : Math.max(this.#clockMs(), this.#options.readLagMs())
      // The first measurement alone does not tell since when a sync that is started again is behind.
      const isKnown = this.#hasMeasured || lagBytes === 0
      this.#lag = {
        lagBytes,
        ...(isKnown && { lagSeconds: toSeconds(lagMs) }),
        retainedBytes,
      }
      this.#hasMeasured = true
    } catch {
      this.#clock.miss(performance.now())
      this.#lag = { ...this.#lag, lagSeconds: toSeconds(this.#clockMs()) }
    }
  }

  #clockMs(): number {
    return this.#clock.lagMsAt(performance.now())
  }

  async #send(owner: string): Promise<void> {
    const { ontology, once, onNote } = this.#options
    const json: SourceReportBody = { ...this.#state, once, ...this.#tables, ...this.#lag }
    const request = { method: 'PUT', path: reportPath(ontology, owner), json } as const
    try {
      await this.#endpoints.connection.send({
        ...request,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (error) {
      // The next report follows soon; what refuses one refuses them all.
      if (!(error instanceof OqsError) || error.isRetryable) return
      onNote(`the service does not take reports about this sync: ${error.message}`)
    }
  }
}

/** Deletes the report of a sync that has ended for good. */
export async function deleteReport(
  { connection }: Endpoints,
  ontology: string,
  owner: string,
): Promise<void> {
  const path = reportPath(ontology, owner)
  await connection.send({ method: 'DELETE', path, isRepeatable: true })
}

function reportPath(ontology: string, owner: string): string {
  const source = owner.replace('@', '.')
  return pathOf`/api/admin/v1/ontologies/${ontology}/transactions/${source}/report`
}

function toSeconds(ms: number): number {
  return Math.round(ms / 100) / 10
}
