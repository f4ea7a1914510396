/**
 * A walk through the pages of a view. What was read stays: scrolling back needs no token, so an
 * expired token costs nothing that was read.
 */
import type { Connection, ServiceRequest, ServiceResponse } from '../../client/connection.ts'
import { exchangePage } from '../../client/endpoints/endpoint-group.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { Observable } from '../api/observable.ts'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { keyText, type ObjectRecord, readRecord } from '../api/records.ts'
import { KeptPages, type WalkPage } from './kept-pages.ts'

export type { WalkPage } from './kept-pages.ts'

export interface WalkState {
  readonly pages: readonly WalkPage[]
  readonly rowCount: number
  readonly isLoading: boolean
  readonly isComplete: boolean
  readonly totalCount: number | undefined
  readonly error: Error | undefined
  /** When the first page arrived: the moment of a snapshot. */
  readonly startedAtMs: number | undefined
}

interface PageBody {
  readonly data: readonly unknown[]
  readonly nextPageToken?: string
  readonly totalCount?: string
}

export interface WalkOptions {
  readonly connection: Connection
  readonly objectType: ObjectTypeDefinition
  /** `after` is the key after which the walk continues without an earlier token. */
  readonly requestOf: (pageToken: string | undefined, after: string | undefined) => ServiceRequest
}

const INITIAL: WalkState = {
  pages: [],
  rowCount: 0,
  isLoading: false,
  isComplete: false,
  totalCount: undefined,
  error: undefined,
  startedAtMs: undefined,
}

export class Walk extends KeptPages {
  readonly #options: WalkOptions
  readonly #stopped = new AbortController()
  readonly #state = new Observable(INITIAL)
  #nextToken: string | undefined
  #after: string | undefined

  constructor(options: WalkOptions) {
    super((bytes) =>
      readBody(JSON.parse(new TextDecoder().decode(bytes)) as PageBody, options.objectType),
    )
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
      const snapshotToken = snapshotTokenOf(error)
      if (snapshotToken === undefined) throw error
      // The token has expired, but not its snapshot: the walk continues where it was.
      this.#nextToken = snapshotToken
      await this.#read()
    }
  }

  async #read(): Promise<void> {
    const request = this.#options.requestOf(this.#nextToken, this.#after)
    const signal = this.#stopped.signal
    const { connection } = this.#options
    this.#add(request, await exchangePage<PageBody>(connection, { ...request, signal }))
  }

  /** Continues after the last row without its token, as another walk by key. */
  async continueAfterLast(): Promise<void> {
    const key = this.lastKey()
    if (key === undefined) return
    this.#after = key
    this.#nextToken = undefined
    this.#change({ isComplete: false })
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
    const version = response.headers.get('oqs-version')
    this.#nextToken = body.nextPageToken
    const page: WalkPage = {
      index: pages.length,
      firstRow: rowCount,
      count: body.data.length,
      byteLength: response.bytes.length,
      durationMs: response.durationMs,
      serverMs: serverMs(response.headers.get('server-timing')),
      version: version === null ? undefined : Number(version),
      receivedAtMs: response.receivedAtMs,
      request,
      hasNextToken: body.nextPageToken !== undefined,
    }
    this.add(page, response.bytes, readBody(body, this.#options.objectType))
    // After a key, the service counts the rest only.
    const counted = body.totalCount === undefined ? undefined : Number(body.totalCount)
    const isRest = this.#after !== undefined
    this.#change({
      pages: [...pages, page],
      rowCount: rowCount + page.count,
      isLoading: false,
      isComplete: body.nextPageToken === undefined,
      totalCount: isRest ? totalCount : (counted ?? totalCount),
      startedAtMs: startedAtMs ?? response.receivedAtMs,
    })
  }

  #change(change: Partial<WalkState>): void {
    this.#state.set({ ...this.getState(), ...change })
  }
}

function readBody({ data }: PageBody, type: ObjectTypeDefinition): readonly ObjectRecord[] {
  return data.map((json) => readRecord(json, type))
}

function snapshotTokenOf(error: unknown): string | undefined {
  const { snapshotToken } = error instanceof OqsError ? error.parameters : {}
  return typeof snapshotToken === 'string' ? snapshotToken : undefined
}

/** Returns the milliseconds that the service spent on a request, by its `Server-Timing` header. */
export function serverMs(header: string | null): number | undefined {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? []
  const total = entries.find((entry) => /^total\b/.test(entry)) ?? entries[0]
  const duration = /;\s*dur=([\d.]+)/.exec(total ?? '')?.[1]
  return duration === undefined ? undefined : Number(duration)
}
