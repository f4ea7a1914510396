/**
 * A walk through the pages of a view. What was read stays: scrolling back needs no token, so an
 * expired token costs nothing that was read.
 */
import type { Connection, ServiceRequest, ServiceResponse } from '../../client/connection.ts'
import { exchangePage } from '../../client/endpoints/endpoint-group.ts'
import type { FlatRecord, Page } from '../../client/endpoints/pages.ts'
import { nextTokensOf } from '../../client/oqs-error.ts'
import { Observable } from '../api/observable.ts'
import { keyText, type ObjectRecord, readRecord } from '../api/ontology.ts'

/** One page as the status bar shows it. */
export interface WalkPage {
  readonly index: number
  /** The number of objects before this page. */
  readonly firstRow: number
  readonly count: number
  readonly byteLength: number
  /** Milliseconds until the last byte, by the clock of the browser. */
  readonly durationMs: number
  /** Milliseconds that the service spent, if it says so. */
  readonly serverMs: number | undefined
  /** The version of the type that the page shows, if the service says so. */
  readonly version: number | undefined
  readonly receivedAtMs: number
  readonly request: ServiceRequest
  readonly hasNextToken: boolean
}

interface KeptPage {
  readonly page: WalkPage
  bytes: Uint8Array | undefined
}

type PageBody = Page<FlatRecord>

/** Bytes of pages that a walk keeps; the oldest leave first. */
const MAX_BYTES = 64 * 1024 * 1024
/** Pages that are kept parsed. */
const PARSED_PAGES = 6

/**
 * The pages of a walk, kept as the bytes that came. Only the few in view are parsed, so that memory
 * is bounded by bytes and not by objects.
 */
export class KeptPages {
  readonly #parse: (bytes: Uint8Array) => readonly ObjectRecord[]
  readonly #kept: KeptPage[] = []
  readonly #parsed = new Map<number, readonly ObjectRecord[]>()
  #byteLength = 0

  constructor(parse: (bytes: Uint8Array) => readonly ObjectRecord[]) {
    this.#parse = parse
  }

  add(page: WalkPage, bytes: Uint8Array, records: readonly ObjectRecord[]): void {
    this.#kept.push({ page, bytes })
    this.#byteLength += bytes.length
    this.#keepParsed(page.index, records)
    for (const kept of this.#kept) {
      if (this.#byteLength <= MAX_BYTES) break
      this.#byteLength -= kept.bytes?.length ?? 0
      kept.bytes = undefined
    }
  }

  /** Returns the page that holds a row. */
  pageAt(row: number): WalkPage | undefined {
    return this.#find(row)?.page
  }

  /** Returns a row; undefined if its page was not read, or has left memory. */
  record(row: number): ObjectRecord | undefined {
    const kept = this.#find(row)
    return kept && this.#records(kept)?.[row - kept.page.firstRow]
  }

  /** Returns the records of a page without keeping them parsed. */
  recordsOf(index: number): readonly ObjectRecord[] {
    const bytes = this.#kept[index]?.bytes
    return this.#parsed.get(index) ?? (bytes === undefined ? [] : this.#parse(bytes))
  }

  /** True if pages have left memory, because newer ones needed their room. */
  get hasEvicted(): boolean {
    return this.#kept.some(
      ({ page, bytes }) => bytes === undefined && !this.#parsed.has(page.index),
    )
  }

  /** Pages are in the order of their rows, so half of the rest is left out in each step. */
  #find(row: number): KeptPage | undefined {
    let [low, high] = [0, this.#kept.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const kept = this.#kept[middle]
      if (kept === undefined) return undefined
      const { firstRow, count } = kept.page
      if (row < firstRow) high = middle - 1
      else if (row >= firstRow + count) low = middle + 1
      else return kept
    }
    return undefined
  }

  #records({ page, bytes }: KeptPage): readonly ObjectRecord[] | undefined {
    const parsed = this.#parsed.get(page.index)
    if (parsed !== undefined || bytes === undefined) return parsed
    const records = this.#parse(bytes)
    this.#keepParsed(page.index, records)
    return records
  }

  #keepParsed(index: number, records: readonly ObjectRecord[]): void {
    this.#parsed.set(index, records)
    const [oldest] = this.#parsed.keys()
    if (this.#parsed.size > PARSED_PAGES && oldest !== undefined) this.#parsed.delete(oldest)
  }
}

export interface WalkState {
  readonly pages: readonly WalkPage[]
  readonly rowCount: number
  readonly isLoading: boolean
  readonly isComplete: boolean
  readonly totalCount: number | undefined
  readonly error: Error | undefined
  /** When the first page arrived: the moment of a snapshot. */
  readonly startedAtMs: number | undefined
  /** The first row that is of another moment than those before it. */
  readonly continuedAt: number | undefined
}

export interface WalkOptions {
  readonly connection: Connection
  readonly requestOf: (pageToken: string | undefined) => ServiceRequest
}

const INITIAL: WalkState = {
  pages: [],
  rowCount: 0,
  isLoading: false,
  isComplete: false,
  totalCount: undefined,
  error: undefined,
  startedAtMs: undefined,
  continuedAt: undefined,
}

export class Walk extends KeptPages {
  readonly #options: WalkOptions
  readonly #stopped = new AbortController()
  readonly #state = new Observable(INITIAL)
  #nextToken: string | undefined

  constructor(options: WalkOptions) {
    super((bytes) => recordsIn(JSON.parse(new TextDecoder().decode(bytes)) as PageBody))
    this.#options = options
  }

  /** The state; a new object after each change. */
  readonly getState = this.#state.get

  readonly subscribe = this.#state.subscribe

  /** Loads the next page, unless one is being loaded or the walk is complete. */
  async loadNext(): Promise<void> {
    const { isLoading, isComplete } = this.getState()
    if (isLoading || isComplete || this.#stopped.signal.aborted) return
    this.#change({ isLoading: true, error: undefined })
    try {
      await this.#readNext()
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      this.#change({ isLoading: false, error: error as Error })
    }
  }

  async #readNext(): Promise<void> {
    try {
      await this.#read()
    } catch (error) {
      const { snapshotToken } = nextTokensOf(error)
      if (snapshotToken === undefined) throw error
      // The token has expired, but not its snapshot: the walk continues where it was.
      this.#nextToken = snapshotToken
      await this.#read()
    }
  }

  async #read(): Promise<void> {
    const request = this.#options.requestOf(this.#nextToken)
    const signal = this.#stopped.signal
    const { connection } = this.#options
    this.#add(request, await exchangePage<PageBody>(connection, { ...request, signal }))
  }

  /** Whether the service can continue after the last row as of now, because its token is too old. */
  canContinue(): boolean {
    return nextTokensOf(this.getState().error).continueToken !== undefined
  }

  /** Continues after the last row as of now. */
  async continueAsOfNow(): Promise<void> {
    const { error, rowCount } = this.getState()
    const { continueToken } = nextTokensOf(error)
    if (continueToken === undefined) return
    this.#nextToken = continueToken
    this.#change({ continuedAt: rowCount })
    await this.loadNext()
  }

  /** The key of the last row that was read. */
  lastKey(): string | undefined {
    const last = this.record(this.getState().rowCount - 1)
    return last && keyText(last.key)
  }

  /** Ends the walk: what is being loaded is dropped. */
  stop(): void {
    this.#stopped.abort()
  }

  #add(request: ServiceRequest, response: ServiceResponse<PageBody>): void {
    const { body } = response
    const { rowCount, totalCount, startedAtMs, pages } = this.getState()
    this.#nextToken = body.nextPageToken
    const page: WalkPage = {
      index: pages.length,
      firstRow: rowCount,
      count: body.data.length,
      byteLength: response.bytes.length,
      durationMs: response.durationMs,
      serverMs: serverMs(response.headers.get('server-timing')),
      version: versionOf(response.headers),
      receivedAtMs: response.receivedAtMs,
      request,
      hasNextToken: body.nextPageToken !== undefined,
    }
    this.add(page, response.bytes, recordsIn(body))
    this.#change({
      pages: [...pages, page],
      rowCount: rowCount + page.count,
      isLoading: false,
      isComplete: body.nextPageToken === undefined,
      totalCount: body.totalCount === undefined ? totalCount : Number(body.totalCount),
      startedAtMs: startedAtMs ?? response.receivedAtMs,
    })
  }

  #change(change: Partial<WalkState>): void {
    this.#state.set({ ...this.getState(), ...change })
  }
}

function recordsIn({ data }: PageBody): readonly ObjectRecord[] {
  return data.map(readRecord)
}

/** Returns the version of the type that was read, if the service says so. */
export function versionOf(headers: Headers): number | undefined {
  const version = headers.get('oqs-version')
  return version === null ? undefined : Number(version)
}

/** Returns the milliseconds that the service spent on a request, by its `Server-Timing` header. */
export function serverMs(header: string | null): number | undefined {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? []
  const total = entries.find((entry) => /^total\b/.test(entry)) ?? entries[0]
  const duration = /;\s*dur=([\d.]+)/.exec(total ?? '')?.[1]
  return duration === undefined ? undefined : Number(duration)
}
