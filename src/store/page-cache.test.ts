import { describe, expect, it } from 'vitest'
import { pageRequest } from '../../test/support/store-fixture.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { EVERYTHING, type Query } from '../query/query.ts'
import type { ReadPageRequest, StoredPage } from './object-store.ts'
import { PageCache } from './page-cache.ts'

const TYPE = { apiName: 'thing' } as ObjectType
const NOTHING: Query = { kind: 'not', of: EVERYTHING }

function request(options: Partial<ReadPageRequest> = {}): ReadPageRequest {
  return pageRequest(TYPE, options)
}

/** A page that counts how often its memory is released. */
function page(bytes: number, version = 1): StoredPage & { readonly released: () => number } {
  let times = 0
  return {
    records: new Uint8Array(bytes),
    release: () => {
      times += 1
    },
    released: () => times,
    count: 1,
    last: { pk: 'k', version },
    more: false,
    version,
    totalCount: 1,
    matchEstimate: undefined,
  }
}

describe('the page cache', () => {
  it('caches a page that is requested twice', () => {
    const cache = new PageCache(100_000)
    const first = page(1000)
    expect(cache.keep(request(), first)).toBe(first)
    expect(cache.find(request(), 1)).toBeUndefined()
    cache.keep(request(), page(1000))
    expect(cache.find(request(), 1)?.records).toHaveLength(1000)
  })

  it('caches nothing of repeated walks that are larger than the cache', () => {
    const cache = new PageCache(10_000)
    const walk = Array.from({ length: 20 }, (_, n) => request({ maxObjects: n + 1 }))
    for (const _ of [1, 2, 3]) for (const one of walk) cache.keep(one, page(1000))
    expect(walk.filter((one) => cache.find(one, 1) !== undefined)).toEqual([])
  })

  it('caches nothing if it has no bytes', () => {
    const cache = new PageCache(0)
    for (const _ of [1, 2, 3]) cache.keep(request(), page(1))
    expect(cache.find(request(), 1)).toBeUndefined()
  })

  it('distinguishes pages by everything that changes their content', () => {
    const cache = new PageCache(1_000_000)
    const { shape } = request().record
    const options: readonly (readonly [Partial<ReadPageRequest>, number])[] = [
      [{}, 1],
      [{}, 2],
      [{ maxObjects: 7 }, 1],
      [{ maxBytes: 7 }, 1],
      [{ after: { pk: 'a', version: 0 } }, 1],
      [{ after: { pk: 'a', version: 1 } }, 1],
      [{ after: { pk: '1/a', version: 0 } }, 1],
      [{ query: NOTHING }, 1],
      [{ query: NOTHING, includeTotalCount: false }, 1],
      [{ query: { kind: 'and', of: Array.from({ length: 99 }, () => EVERYTHING) } }, 1],
      [{ order: [{ property: 'p', direction: 'asc', nulls: 'last' }] }, 1],
      [{ record: { shape: [], selection: undefined } }, 1],
      [{ record: { shape: [{ column: 'title' }], selection: undefined } }, 1],
      [{ record: { shape: [{ literal: 'title' }], selection: undefined } }, 1],
      [{ record: { shape, selection: ['a'] } }, 1],
      [{ record: { shape, selection: undefined, separator: '\n' } }, 1],
      [{ objectType: { ...TYPE } }, 1],
    ]
    const requests = options.map(([one, version]) => ({ request: request(one), version }))
    for (const _ of [1, 2]) {
      requests.forEach(({ request, version }, bytes) => {
        cache.keep(request, page(bytes, version))
      })
    }
    const sizes = requests.map(
      ({ request, version }) => cache.find(request, version)?.records.length,
    )
    expect(sizes).toEqual(requests.map((_, bytes) => bytes))
  })

  it('shares a page between requests that differ only in hints and equal shapes', () => {
    const cache = new PageCache(100_000)
    for (const _ of [1, 2]) cache.keep(request(), page(1000))
    const record = { ...request().record, shape: [...request().record.shape] }
    for (const options of [{ matchEstimate: 5 }, { includeTotalCount: false }, { record }]) {
      expect(cache.find(request(options), 1)?.records).toHaveLength(1000)
    }
  })

  it('stays within its bytes, and evicts the least recently requested page', () => {
    const cache = new PageCache(10_000)
    const pages = Array.from({ length: 20 }, (_, n) => ({ n, page: page(1000) }))
    const requestOf = (n: number) => request({ maxObjects: n + 1 })
    for (const { n, page } of pages) {
      for (const _ of [1, 2]) cache.keep(requestOf(n), page).release()
      cache.find(requestOf(0), 1)?.release()
    }
    const kept = pages
      .filter(({ n }) => cache.find(requestOf(n), 1) !== undefined)
      .map(({ n }) => n)
    expect(kept).toContain(0)
    expect(kept).toContain(19)
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.length * 1000).toBeLessThan(10_000)
  })

  it('copies records that are part of a larger block of memory', () => {
    const cache = new PageCache(100_000)
    const block = new Uint8Array(64_000)
    const part = { ...page(0), records: block.subarray(100, 400) }
    for (const _ of [1, 2]) cache.keep(request(), part)
    const cached = cache.find(request(), 1)
    expect(cached?.records).toEqual(part.records)
    expect(cached?.records.buffer.byteLength).toBe(300)
  })

  it('releases memory when a page is evicted and no longer being sent', () => {
    const cache = new PageCache(10_000)
    const sent = page(1000)
    cache.keep(request(), sent)
    const first = cache.keep(request(), sent)
    const second = cache.find(request(), 1)
    expect(second).toBeDefined()
    // Evicts it.
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      for (const _ of [1, 2]) cache.keep(request({ maxObjects: n }), page(1000))
    }
    expect(cache.find(request(), 1)).toBeUndefined()
    for (const _ of ['once', 'by mistake']) first.release()
    expect(sent.released()).toBe(0)
    second?.release()
    expect(sent.released()).toBe(1)
  })
})
