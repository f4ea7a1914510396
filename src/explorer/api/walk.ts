/**
 * A walk through the pages of a view. Pages are kept as the bytes that came, and only the few in
 * view are parsed: scrolling back needs no token, so an expired token costs nothing that was read.
 */
import { ApiError, type ApiRequest, parseBody, type Send } from './call.ts'
import type { ObjectTypeDefinition } from './ontology.ts'
import { type ObjectRecord, readRecord } from './records.ts'

/** One page as the paging lens shows it. */
export interface WalkPage {
  readonly index: number
  /** The number of objects before this page. */
  readonly firstRow: number
  readonly count: number
  readonly byteLength: number
  readonly durationMs: number
  readonly receivedAtMs: number
  readonly request: ApiRequest
  readonly hasNextToken: boolean
}

export interface WalkState {
  readonly pages: readonly WalkPage[]
  readonly rowCount: number
  readonly isLoading: boolean
  readonly isComplete: boolean
  readonly totalCount: number | undefined
  readonly error: ApiError | undefined
  /** When the first page arrived: the moment of a snapshot. */
  readonly startedAtMs: number | undefined
}

interface PageBody {
  readonly data: readonly unknown[]
  readonly nextPageToken?: string
  readonly totalCount?: string
}

interface KeptPage {
  readonly page: WalkPage
  bytes: Uint8Array | undefined
}

export interface WalkOptions {
  readonly send: Send
  readonly objectType: ObjectTypeDefinition
  readonly requestOf: (pageToken: string | undefined) => ApiRequest
}

/** Bytes of pages that a walk keeps; the oldest leave first. */
const MAX_BYTES = 64 * 1024 * 1024
/** Pages that are kept parsed. */
const PARSED_PAGES = 6

const INITIAL: WalkState = {
  pages: [],
  rowCount: 0,
  isLoading: false,
  isComplete: false,
  totalCount: undefined,
  error: undefined,
  startedAtMs: undefined,
}

export class Walk {
  readonly #options: WalkOptions
  readonly #kept: KeptPage[] = []
  readonly #parsed = new Map<number, readonly ObjectRecord[]>()
  readonly #listeners = new Set<() => void>()
  readonly #stopped = new AbortController()
  #state = INITIAL
  #nextToken: string | undefined
  #keptBytes = 0

  constructor(options: WalkOptions) {
    this.#options = options
  }

  /** The state; a new object after each change. */
  readonly getState = (): WalkState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the next page, unless one is being loaded or the walk is complete. */
  async loadNext(): Promise<void> {
    if (this.#state.isLoading || this.#state.isComplete) return
    this.#change({ isLoading: true, error: undefined })
    const request = this.#options.requestOf(this.#nextToken)
    try {
      const response = await this.#options.send(request, this.#stopped.signal)
      const body = parseBody<PageBody>(response)
      this.#nextToken = body.nextPageToken
      const page: WalkPage = {
        index: this.#kept.length,
        firstRow: this.#state.rowCount,
        count: body.data.length,
        byteLength: response.bytes.length,
        durationMs: response.durationMs,
        receivedAtMs: response.receivedAtMs,
        request,
        hasNextToken: body.nextPageToken !== undefined,
      }
      this.#keep(page, response.bytes, this.#readRecords(body))
      this.#change({
        pages: this.#kept.map((kept) => kept.page),
        rowCount: page.firstRow + page.count,
        isLoading: false,
        isComplete: body.nextPageToken === undefined,
        totalCount:
          body.totalCount === undefined ? this.#state.totalCount : Number(body.totalCount),
        startedAtMs: this.#state.startedAtMs ?? response.receivedAtMs,
      })
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      this.#change({ isLoading: false, error: toApiError(error) })
    }
  }

  /** Returns a row that was read; undefined if its page is not loaded or has left memory. */
  record(row: number): ObjectRecord | undefined {
    const kept = this.#kept.find(
      ({ page }) => row >= page.firstRow && row < page.firstRow + page.count,
    )
    return kept && this.#recordsOf(kept)?.[row - kept.page.firstRow]
  }

  /** Returns the body of a page as it came. */
  bytesOf(index: number): Uint8Array | undefined {
    return this.#kept[index]?.bytes
  }

  /** Ends the walk: what is being loaded is dropped. */
  stop(): void {
    this.#stopped.abort()
    this.#listeners.clear()
  }

  #recordsOf({ page, bytes }: KeptPage): readonly ObjectRecord[] | undefined {
    const parsed = this.#parsed.get(page.index)
    if (parsed !== undefined || bytes === undefined) return parsed
    const records = this.#readRecords(parseBody<PageBody>({ bytes }))
    this.#keepParsed(page.index, records)
    return records
  }

  #readRecords({ data }: PageBody): readonly ObjectRecord[] {
    return data.map((json) => readRecord(json, this.#options.objectType))
  }

  #keep(page: WalkPage, bytes: Uint8Array, records: readonly ObjectRecord[]): void {
    this.#kept.push({ page, bytes })
    this.#keptBytes += bytes.length
    this.#keepParsed(page.index, records)
    for (const kept of this.#kept) {
      if (this.#keptBytes <= MAX_BYTES) break
      this.#keptBytes -= kept.bytes?.length ?? 0
      kept.bytes = undefined
    }
  }

  #keepParsed(index: number, records: readonly ObjectRecord[]): void {
    this.#parsed.set(index, records)
    const [oldest] = this.#parsed.keys()
    if (this.#parsed.size > PARSED_PAGES && oldest !== undefined) this.#parsed.delete(oldest)
  }

  #change(change: Partial<WalkState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(0, { errorName: 'InvalidResponse', errorDescription: String(error) })
}
