/**
 * Caches the pages that are requested repeatedly, as bytes. A page as of a version never changes and
 * the version is part of its key, so no entry is ever stale. Titles follow the definition of a type;
 * a changed definition is another `ObjectType`, which is part of the key too.
 *
 * A page is cached on its second request, if the pages requested in between would have fit into the
 * cache. So a walk that happens once evicts nothing, nor do repeated walks that are larger than the
 * cache.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { PAGE_CACHE_BYTES } from '../contract/limits.ts'
import { CHECKED_RECORD, CHECKED_SELECTION, shapeKey } from '../contract/object-record.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { hasLink } from '../query/query-tree.ts'
import type { ReadPageRequest, StoredPage } from './object-store.ts'
import type { PageCacheState } from './port/maintenance.ts'
import { FROM_CACHE } from './port/request-context.ts'

/** What an entry takes besides its records and its key; a rough measure. */
const ENTRY_BYTES = 500
/** The largest share of the cache that one page may take. */
const LARGEST_SHARE = 1 / 4
/** The maximum number of keys that were requested once. */
const CANDIDATES = 10_000
/** Longer keys are hashed. */
const MAX_KEY_LENGTH = 300

export class PageCache {
  /** Undefined if the cache is disabled. */
  readonly #pages: LRUCache<string, CachedPage> | undefined
  /** The keys of pages that were requested once, each with the bytes of its page. */
  readonly #candidates: LRUCache<string, number> | undefined
  readonly #maxEntryBytes: number
  readonly #typeIds = new WeakMap<ObjectType, number>()
  #lastTypeId = 0
  #hits = 0
  #misses = 0

  constructor(maxBytes = PAGE_CACHE_BYTES) {
    this.#maxEntryBytes = Math.floor(maxBytes * LARGEST_SHARE)
    if (this.#maxEntryBytes === 0) return
    this.#pages = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (cached) => {
        cached.isEvicted = true
        releaseIfUnused(cached)
      },
    })
    const minBytes = Math.ceil(maxBytes / CANDIDATES)
    this.#candidates = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes) => Math.max(bytes, minBytes),
    })
  }

  state(): PageCacheState {
    const { size: pages = 0, calculatedSize: bytes = 0, maxSize: maxBytes = 0 } = this.#pages ?? {}
    return { pages, bytes, maxBytes, hits: this.#hits, misses: this.#misses }
  }

  find(request: ReadPageRequest, version: number): StoredPage | undefined {
    if (this.#pages === undefined || !isCacheable(request)) return undefined
    const isEmpty = this.#pages.size === 0
    const cached = isEmpty ? undefined : this.#pages.get(this.#keyOf(request, version))
    if (cached === undefined) {
      this.#misses += 1
      return undefined
    }
    this.#hits += 1
    return { ...lend(cached), report: FROM_CACHE }
  }

  /** Caches a page if it was requested before. Returns the page to continue with. */
  keep(request: ReadPageRequest, page: StoredPage): StoredPage {
    if (this.#pages === undefined || !isCacheable(request)) return page
    const key = this.#keyOf(request, page.version)
    const rowIdsLength = page.rowIds?.length ?? 0
    const bytes = page.records.length + rowIdsLength + key.length + ENTRY_BYTES
    if (bytes > this.#maxEntryBytes || this.#isFirstRequest(key, bytes)) return page
    const cached = { page: withOwnMemory(page), bytes, readers: 0, isEvicted: false }
    this.#pages.set(key, cached)
    return lend(cached)
  }

  #isFirstRequest(key: string, bytes: number): boolean {
    if (this.#candidates?.delete(key)) return false
    this.#candidates?.set(key, bytes)
    return true
  }

  /** Combines everything that the content of a page depends on. */
  #keyOf(request: ReadPageRequest, version: number): string {
    const { objectType, query, order, record, after, maxObjects, maxBytes } = request
    const { shape, selection, separator = ',' } = record
    const hasConditions = query.kind !== 'everything'
    // The count of a query without conditions is always included.
    const count = request.includeTotalCount && hasConditions ? 'counted' : ''
    const rowIds = request.includeRowIds ? 'rows' : ''
    const isPlain = !hasConditions && order.length === 0 && selection === undefined
    const what = isPlain ? '' : JSON.stringify([query, order, selection ?? null])
    const cursor = after === undefined ? '' : `${after.version}/${after.pk}`
    const type = `${this.#typeIdOf(objectType)}/${version}/${shapeKey(shape)}`
    const key = `${type}/${maxObjects}/${maxBytes}/${separator}/${count}/${rowIds}/${what}/${cursor}`
    return key.length > MAX_KEY_LENGTH ? hash('sha256', key, 'base64url') : key
  }

  #typeIdOf(objectType: ObjectType): number {
    let id = this.#typeIds.get(objectType)
    if (id === undefined) {
      this.#lastTypeId += 1
      id = this.#lastTypeId
      this.#typeIds.set(objectType, id)
    }
    return id
  }
}

/**
 * A page of linked objects also depends on the versions of other types. The chunks of an export would only
 * evict pages.
 */
function isCacheable({ query, record: { shape } }: ReadPageRequest): boolean {
  return shape !== CHECKED_RECORD && shape !== CHECKED_SELECTION && !hasLink(query)
}

interface CachedPage {
  readonly page: StoredPage
  readonly bytes: number
  /** Responses that are being sent from these bytes. */
  readers: number
  isEvicted: boolean
}

/** Copies records that share a block of memory, which the cache would keep as a whole. */
function withOwnMemory(page: StoredPage): StoredPage {
  if (page.records.buffer.byteLength === page.records.byteLength) return page
  const records = new Uint8Array(page.records)
  return { ...page, records, release: releaserOf(records) }
}

/** Lends a cached page; its memory is freed when it is evicted and its last reader is done. */
function lend(cached: CachedPage): StoredPage {
  let isLent = true
  cached.readers += 1
  const release = () => {
    if (!isLent) return
    isLent = false
    cached.readers -= 1
    releaseIfUnused(cached)
  }
  return { ...cached.page, release }
}

function releaseIfUnused({ page, readers, isEvicted }: CachedPage): void {
  if (readers === 0 && isEvicted) page.release()
}

/** Returns the records of a page that nothing else uses. */
export function ownBytes(bytes: Uint8Array | null): Pick<StoredPage, 'records' | 'release'> {
  const records = bytes ?? new Uint8Array(0)
  return { records, release: releaserOf(records) }
}

/**
 * Frees the memory of page records. It lies outside the heap, and leaving it to the garbage
 * collector costs several times as much as reading the page: each few pages cause a full collection.
 */
export function releaserOf(records: Uint8Array): () => void {
  return () => {
    const { buffer, byteLength } = records
    if (!(buffer instanceof ArrayBuffer) || buffer.detached) return
    // Node allocates small buffers from a block that others share.
    if (buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
