/**
 * What is known of the columns of a type. They are
 *
 * - missing: there is no file, or nobody has asked for it;
 * - opening: the description of their file is read;
 * - building: the base is built from the table;
 * - ready. They may be behind, while they catch up with many changes, and a new base may be built.
 *
 * What fails makes them missing, or leaves them ready, and is not tried again for a while.
 */
import type { ColumnsStatus } from '../../port/maintenance.ts'
import type { ColumnSegmentRecord } from '../feed/column-feed.ts'
import type { TableColumns } from '../table/table-columns.ts'
import type { Unavailable } from './messages.ts'

/** The pause after a build that failed; it doubles with each further one. */
const FIRST_RETRY_MS = 1000
/** The longest pause, and that after a build that did not fit. */
const LONGEST_RETRY_MS = 60_000
/** Columns that were used since do not make room for others: both would be dropped again and again. */
const IN_USE_MS = 60_000

interface Build {
  readonly done: Promise<void>
  /** The objects of the table. */
  readonly totalObjects: number
}

type State =
  | { readonly kind: 'missing' }
  | { readonly kind: 'opening'; readonly done: Promise<void> }
  | { readonly kind: 'building'; readonly build: Build }
  | {
      readonly kind: 'ready'
      readonly columns: TableColumns
      readonly isBehind: boolean
      readonly build: Build | undefined
    }

interface Refusal {
  readonly reason: Unavailable['reason'] & ('tooLarge' | 'failed')
  readonly until: number
}

const MISSING: State = { kind: 'missing' }

export class TypeEntry {
  /** The record of the file with the base. */
  record: ColumnSegmentRecord | undefined
  /** When a question was last asked. */
  usedAt = -Infinity
  /** When the file was last marked as used. */
  touchedAt = -Infinity
  /** When the columns were last up to date. */
  caughtUpAt = -Infinity
  #state: State = MISSING
  #refusal: Refusal | undefined
  /** The builds that failed since the last one that succeeded. */
  #failures = 0
  #lastCatchUp: Promise<unknown> = Promise.resolve()

  get columns(): TableColumns | undefined {
    return this.#state.kind === 'ready' ? this.#state.columns : undefined
  }

  get isBehind(): boolean {
    return this.#state.kind === 'ready' && this.#state.isBehind
  }

  /** Why the columns must not be built now. */
  get refused(): Refusal['reason'] | undefined {
    const refusal = this.#refusal
    return refusal && performance.now() < refusal.until ? refusal.reason : undefined
  }

  /** True if the columns need not catch up yet, because nobody asks for them. */
  mayLag(maxLagMs: number): boolean {
    const isUpToDate = performance.now() - this.caughtUpAt < maxLagMs
    return this.columns !== undefined && !this.isInUse && isUpToDate
  }

  get isInUse(): boolean {
    return performance.now() - this.usedAt <= IN_USE_MS
  }

  /** Opens missing columns, unless that is going on. `open` makes them ready, if it can. */
  async open(open: () => Promise<void>): Promise<void> {
    if (this.#state.kind === 'missing') {
      const done = open().finally(() => {
        if (this.#state.kind === 'opening') this.#state = MISSING
      })
      this.#state = { kind: 'opening', done }
    }
    if (this.#state.kind === 'opening') await this.#state.done
  }

  /** Builds a base, unless that is going on. `build` makes the columns ready, or refuses them. */
  async build(totalObjects: number, build: () => Promise<void>): Promise<void> {
    if (this.#build === undefined) {
      const done = build().finally(() => {
        if (this.#state.kind === 'building') this.#state = MISSING
        if (this.#state.kind === 'ready') this.#state = { ...this.#state, build: undefined }
      })
      const started = { done, totalObjects }
      this.#state =
        this.#state.kind === 'ready'
          ? { ...this.#state, build: started }
          : { kind: 'building', build: started }
    }
    await this.#build?.done
  }

  become(columns: TableColumns): void {
    this.#refusal = undefined
    this.#failures = 0
    this.#state = { kind: 'ready', columns, isBehind: false, build: this.#build }
  }

  setBehind(isBehind: boolean): void {
    if (this.#state.kind === 'ready') this.#state = { ...this.#state, isBehind }
  }

  /** Drops the columns, and returns them. */
  drop(): TableColumns | undefined {
    const { columns } = this
    const build = this.#build
    if (columns !== undefined) this.#state = build ? { kind: 'building', build } : MISSING
    return columns
  }

  /** Pauses for long, because what does not fit will probably not fit in a minute either. */
  refuseTooLarge(): void {
    this.#refusal = { reason: 'tooLarge', until: performance.now() + LONGEST_RETRY_MS }
  }

  /** Pauses for a moment first: what made a build fail is often over, such as a changed definition. */
  refuseFailed(): void {
    const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS)
    this.#failures += 1
    this.#refusal = { reason: 'failed', until: performance.now() + pauseMs }
  }

  /** Runs one catch-up after the other. */
  inTurn<T>(catchUp: () => Promise<T>): Promise<T> {
    const result = this.#lastCatchUp.then(catchUp)
    this.#lastCatchUp = result.catch(() => {})
    return result
  }

  /** Returns what the status of the service says about the columns, besides their memory. */
  status(builtObjects: number): Omit<ColumnsStatus['types'][number], 'typeRid' | 'bytes'> {
    const { columns } = this
    const build = this.#build
    const missing = build === undefined ? (this.#refusal?.reason ?? 'building') : 'building'
    return {
      state: columns === undefined ? missing : 'ready',
      objects: columns?.baseSize ?? 0,
      fileBytes: columns?.fileBytes ?? 0,
      version: columns?.seen ?? 0,
      builtAtMs: columns?.base.builtAtMs,
      building: build && { objects: builtObjects, totalObjects: build.totalObjects },
    }
  }

  get #build(): Build | undefined {
    const state = this.#state
    return state.kind === 'building' || state.kind === 'ready' ? state.build : undefined
  }
}

/**
 * Returns the columns to drop so that what cannot be evicted fits, those first that were not used for
 * the longest time; undefined if they would not suffice.
 */
export function toDrop(
  entries: Iterable<TypeEntry>,
  forEntry: TypeEntry,
  maxBytes: number,
): readonly TypeEntry[] | undefined {
  const all = [...entries]
  let needed = all.reduce((sum, { columns }) => sum + (columns?.fixedBytes ?? 0), 0)
  const dropped: TypeEntry[] = []
  for (const entry of all.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (needed <= maxBytes) break
    if (entry === forEntry || entry.isInUse || entry.columns === undefined) continue
    dropped.push(entry)
    needed -= entry.columns.fixedBytes
  }
  return needed <= maxBytes ? dropped : undefined
}
