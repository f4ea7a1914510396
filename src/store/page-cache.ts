import { hash } from 'node:crypto'
import { PAGE_CACHE_BYTES } from '../contract/limits.ts'
import type { RecordShape } from '../contract/object-record.ts'
import { RecentMap } from '../contract/recent-map.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { PageRead, StoredPage } from './object-store.ts'
import { releaserOf } from './page-memory.ts'

/**
 * Pages that are asked for again and again, as bytes. A page as of a version never changes, and
 * the version is part of what a page is kept by: nothing here can be out of date, and nothing has
 * to be told when objects change. A title follows the definition of its type, and with the
 * definition changes the `ObjectType` that the page is kept by, too.
 *
 * A page is kept when it is asked for again before as much as the cache can hold was asked for.
 * So a walk that nobody else makes neither fills the memory nor pushes out what others want; nor do
 * walks again and again through more than would fit, which would never find a page still there.
 */
export class PageCache {
  readonly #maxBytes: number
  #bytes = 0
  readonly #pages = new Map<string, KeptPage>()
  /** Names of pages that were asked for once, and their bytes. */
  readonly #askedOnce: RecentMap<number>

  constructor(maxBytes = PAGE_CACHE_BYTES) {
    this.#maxBytes = maxBytes
    this.#askedOnce = new RecentMap(maxBytes, (bytes) => Math.max(bytes, maxBytes / NAMES_KEPT))
  }

  find(read: PageRead, version: number): StoredPage | undefined {
    if (this.#pages.size === 0) return undefined
    const name = nameOf(read, version)
    const kept = this.#pages.get(name)
    if (kept === undefined) return undefined
    // Moves to the end of the map's order.
    this.#pages.delete(name)
    this.#pages.set(name, kept)
    return lend(kept)
  }

  /** Keeps a page that was read, if that seems of use; gives the page to go on with. */
  keep(read: PageRead, page: StoredPage): StoredPage {
    if (this.#maxBytes === 0) return page
    const name = nameOf(read, page.version)
    const bytes = page.records.length + name.length + ENTRY_BYTES
    if (bytes > this.#maxBytes * LARGEST_SHARE || this.#isFirstAsked(name, bytes)) return page
    const kept = { page: ownMemory(page), bytes, readers: 0, isWanted: true }
    this.#drop(name)
    this.#pages.set(name, kept)
    this.#bytes += bytes
    for (const [oldest] of this.#pages) {
      if (this.#bytes <= this.#maxBytes) break
      this.#drop(oldest)
    }
    return lend(kept)
  }

  #isFirstAsked(name: string, bytes: number): boolean {
    if (this.#askedOnce.delete(name)) return false
    this.#askedOnce.set(name, bytes)
    return true
  }

  #drop(name: string): void {
    const kept = this.#pages.get(name)
    if (kept === undefined) return
    this.#pages.delete(name)
    this.#bytes -= kept.bytes
    kept.isWanted = false
    releaseUnused(kept)
  }
}

/** What an entry takes beside the bytes of its page and its name; a rough measure. */
const ENTRY_BYTES = 500
/** No page takes more of the cache than this. */
const LARGEST_SHARE = 1 / 4
const NAMES_KEPT = 10_000

interface KeptPage {
  readonly page: StoredPage
  readonly bytes: number
  /** Answers that are being sent from these bytes. */
  readers: number
  isWanted: boolean
}

/** Short texts share a block of memory with others, which a page that is kept would keep, too. */
function ownMemory(page: StoredPage): StoredPage {
  if (page.records.buffer.byteLength === page.records.byteLength) return page
  const records = new Uint8Array(page.records)
  return { ...page, records, release: releaserOf(records) }
}

function lend(kept: KeptPage): StoredPage {
  let isLent = true
  kept.readers += 1
  const release = () => {
    if (!isLent) return
    isLent = false
    kept.readers -= 1
    releaseUnused(kept)
  }
  return { ...kept.page, release }
}

function releaseUnused({ page, readers, isWanted }: KeptPage): void {
  if (readers === 0 && !isWanted) page.release()
}

/** Longer names are hashed. */
const NAME_LENGTH = 200

/** All that the bytes of a page depend on. */
function nameOf(read: PageRead, version: number): string {
  const { objectType, query, order, record, after, maxObjects, maxBytes } = read
  const { matches = '', countsMatches } = read
  const { selection, separator = ',' } = record
  const counts = countsMatches ? 'counted' : ''
  const size = `${maxObjects}/${maxBytes}/${separator}/${matches}/${counts}`
  const place = after === undefined ? '' : `${after.version}/${after.pk}`
  const isPlain = query.kind === 'everything' && order.length === 0 && selection === undefined
  const asked = isPlain ? '' : JSON.stringify([query, order, selection ?? null])
  const name = `${numberOf(objectType)}/${version}/${numberOf(record.shape)}/${size}/${asked}/${place}`
  return name.length > NAME_LENGTH ? hash('sha256', name, 'base64url') : name
}

const numbers = new WeakMap<ObjectType | RecordShape, number>()
let lastNumber = 0

/** Things that are the same have the same number; it stands for all that a type is. */
function numberOf(thing: ObjectType | RecordShape): number {
  let number = numbers.get(thing)
  if (number === undefined) {
    lastNumber += 1
    number = lastNumber
    numbers.set(thing, number)
  }
  return number
}
