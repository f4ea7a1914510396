/** What all queries share: conditions, paging, and walks that end complete or with an error. */
import type { CallOptions } from '../connection.ts'
import type { Page, PageOptions } from '../endpoints/pages.ts'
import { isExpired, OqsError, type WalkProgress } from '../oqs-error.ts'
import type { ObjectTypeShape } from '../types/property-types.ts'
import type { Grammar, Where } from '../types/where.ts'
import type { Conditions } from './compile-where.ts'
import type { PageQuery } from './page-requests.ts'
import { walkPages } from './walk-pages.ts'

/**
 * What a walk does when its page token is too old.
 * - `throw` ends the walk with the error.
 * - `restart` starts again with the first page, and with a new snapshot. If objects have already
 *   been handed out, only with an `onRestart` callback, because they come again.
 * - `continue` goes on after the last object, as of now, if the service can: the objects are then of
 *   two moments. `onRestart` is called before.
 */
export type OnExpired = 'throw' | 'restart' | 'continue'

export type OnRestart = (progress: WalkProgress) => void | Promise<void>

/** Everything that a query says, apart from where it is sent. */
export interface QuerySpec extends PageQuery, CallOptions {
  readonly pageSize?: number | undefined
  readonly snapshot?: boolean | undefined
  readonly onExpired: OnExpired
  readonly onRestart?: OnRestart | undefined
}

/** Where a query is sent. */
export interface QuerySource<Item> {
  readonly readPage: (spec: QuerySpec, paging: PageOptions) => Promise<Page<Item>>
  /** Returns the properties of a record. */
  readonly toObject: (record: Item) => object
}

export interface ObjectPage<Item> {
  /** The properties of each object. */
  readonly data: readonly Item[]
  /** The objects as the service sent them, with RID or title. */
  readonly records: readonly object[]
  /** Absent on the last page. */
  readonly nextPageToken: string | undefined
  /** The number of matching objects, from endpoints that count them. */
  readonly totalCount: number | undefined
}

/** A server that lets every walk expire would otherwise be asked forever. */
const MAX_RESTARTS = 3

/** Queries are immutable: every method returns a new one. */
export class QueryWalk<Type extends ObjectTypeShape, Item, G extends Grammar> {
  // biome-ignore lint/suspicious/noExplicitAny: each kind of query has its own records
  protected readonly source: QuerySource<any>
  protected readonly spec: QuerySpec

  // biome-ignore lint/suspicious/noExplicitAny: each kind of query has its own records
  constructor(source: QuerySource<any>, spec: QuerySpec) {
    this.source = source
    this.spec = spec
  }

  /** Adds a condition; all conditions of a query must hold. */
  where(condition: Where<Type, G>): this {
    return this.derive({ conditions: [...this.spec.conditions, condition as Conditions] })
  }

  /** Sets the number of objects per page; the service reduces large values. */
  pageSize(pageSize: number): this {
    return this.derive({ pageSize })
  }

  /** Reads all pages as of the first page. */
  snapshot(snapshot = true): this {
    return this.derive({ snapshot })
  }

  /** Sets what a walk does when its page token is too old. */
  onExpired(onExpired: OnExpired, onRestart?: OnRestart): this {
    return this.derive({ onExpired, onRestart })
  }

  /** Sets a signal that aborts requests and pauses. */
  signal(signal: AbortSignal): this {
    return this.derive({ signal })
  }

  /** Yields all objects. Ends only after the last one; otherwise it throws. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  /** Yields all pages. Ends only after the last one; otherwise it throws. */
  async *pages(): AsyncGenerator<ObjectPage<Item>, void, undefined> {
    const { onExpired, onRestart, pageSize, snapshot } = this.spec
    let [pages, objects, restarts] = [0, 0, 0]
    let last: object | undefined
    for (;;) {
      try {
        const paging = (pageToken: string | undefined) => ({ pageSize, pageToken, snapshot })
        const readPage = (token: string | undefined) =>
          this.source.readPage(this.spec, paging(token))
        const onContinue = () => onRestart?.({ pages, objects, lastObject: last })
        const options = onExpired === 'continue' ? { onContinue } : {}
        for await (const page of walkPages(readPage, options)) {
          const converted = this.#convert(page)
          pages += 1
          objects += converted.data.length
          last = (converted.data.at(-1) as object | undefined) ?? last
          yield converted
        }
        return
      } catch (error) {
        const progress = { pages, objects, lastObject: last }
        if (error instanceof OqsError) error.walk = progress
        if (!isExpired(error)) throw error
        const canRestart = objects === 0 || onRestart !== undefined
        if (onExpired !== 'restart' || !canRestart || restarts >= MAX_RESTARTS) throw error
        restarts += 1
        await onRestart?.(progress)
        pages = objects = 0
        last = undefined
      }
    }
  }

  /** Returns all objects. With `onExpired('restart')` the result is always that of one walk. */
  async toArray(): Promise<Item[]> {
    const { onExpired, onRestart } = this.spec
    let items: Item[] = []
    const restart: OnRestart = (progress) => {
      if (onExpired === 'restart') items = []
      return onRestart?.(progress)
    }
    for await (const { data } of this.derive({ onRestart: restart }).pages()) {
      for (const item of data) items.push(item)
    }
    return items
  }

  /** Returns the first object, or undefined if none matches. */
  async first(): Promise<Item | undefined> {
    for await (const item of this.pageSize(1)) return item
    return undefined
  }

  protected derive(changes: Partial<QuerySpec>): this {
    const Query = this.constructor as new (source: QuerySource<unknown>, spec: QuerySpec) => this
    return new Query(this.source, { ...this.spec, ...changes })
  }

  #convert({ data: records, nextPageToken, totalCount }: Page<unknown>): ObjectPage<Item> {
    return {
      data: records.map(this.source.toObject) as Item[],
      records: records as object[],
      nextPageToken,
      totalCount: totalCount === undefined ? undefined : Number(totalCount),
    }
  }
}
