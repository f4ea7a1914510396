import { describe, expect, it } from 'vitest'
import { pageRead } from '../../test/support/store-fixture.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { EVERYTHING } from '../query/query.ts'
import type { PageRead, StoredPage } from './object-store.ts'
import { PageCache } from './page-cache.ts'

const TYPE = { apiName: 'thing' } as ObjectType

function read(wish: Partial<PageRead> = {}): PageRead {
  return pageRead(TYPE, wish)
}

/** A page that notes when its memory is given back. */
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
    matches: 1,
  }
}

describe('the page cache', () => {
  it('keeps a page that is asked for twice', () => {
    const cache = new PageCache(100_000)
    const first = page(1000)
    expect(cache.keep(read(), first)).toBe(first)
    expect(cache.find(read(), 1)).toBeUndefined()
    cache.keep(read(), page(1000))
    expect(cache.find(read(), 1)?.records).toHaveLength(1000)
  })

  it('keeps nothing of a walk that is made again and again, but is longer than it has room', () => {
    const cache = new PageCache(10_000)
    const walk = Array.from({ length: 20 }, (_, n) => read({ maxObjects: n + 1 }))
    for (const _ of [1, 2, 3]) for (const asked of walk) cache.keep(asked, page(1000))
    expect(walk.filter((asked) => cache.find(asked, 1) !== undefined)).toEqual([])
  })

  it('keeps nothing when it has no room', () => {
    const cache = new PageCache(0)
    for (const _ of [1, 2, 3]) cache.keep(read(), page(1))
    expect(cache.find(read(), 1)).toBeUndefined()
  })

  it('tells apart whatever makes another page', () => {
    const cache = new PageCache(1_000_000)
    const wishes: readonly (readonly [Partial<PageRead>, number])[] = [
      [{}, 1],
      [{}, 2],
      [{ maxObjects: 7 }, 1],
      [{ maxBytes: 7 }, 1],
      [{ after: { pk: 'a', version: 0 } }, 1],
      [{ after: { pk: 'a', version: 1 } }, 1],
      [{ after: { pk: '1/a', version: 0 } }, 1],
      [{ query: { kind: 'not', of: EVERYTHING } }, 1],
      [{ query: { kind: 'and', of: Array.from({ length: 99 }, () => EVERYTHING) } }, 1],
      [{ order: [{ property: 'p', direction: 'asc', nulls: 'last' }] }, 1],
      [{ record: { shape: [], selection: undefined } }, 1],
      [{ record: { shape: read().record.shape, selection: ['a'] } }, 1],
      [{ record: { shape: read().record.shape, selection: undefined, separator: '\n' } }, 1],
      [{ countsMatches: !read().countsMatches }, 1],
      [{ matches: 5 }, 1],
      [{ objectType: { ...TYPE } }, 1],
    ]
    const asked = wishes.map(([wish, version]) => ({ read: read(wish), version }))
    for (const _ of [1, 2]) {
      asked.forEach(({ read, version }, bytes) => {
        cache.keep(read, page(bytes, version))
      })
    }
    const found = asked.map(({ read, version }) => cache.find(read, version)?.records.length)
    expect(found).toEqual(asked.map((_, bytes) => bytes))
  })

  it('stays within its bytes, and drops what was not asked for longest', () => {
    const cache = new PageCache(10_000)
    const pages = Array.from({ length: 20 }, (_, n) => ({ n, page: page(1000) }))
    const wish = (n: number) => read({ maxObjects: n + 1 })
    for (const { n, page } of pages) {
      for (const _ of [1, 2]) cache.keep(wish(n), page).release()
      cache.find(wish(0), 1)?.release()
    }
    const kept = pages.filter(({ n }) => cache.find(wish(n), 1) !== undefined).map(({ n }) => n)
    expect(kept).toContain(0)
    expect(kept).toContain(19)
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.length * 1000).toBeLessThan(10_000)
  })

  it('keeps no block of memory for a part of it', () => {
    const cache = new PageCache(100_000)
    const block = new Uint8Array(64_000)
    const part = { ...page(0), records: block.subarray(100, 400) }
    for (const _ of [1, 2]) cache.keep(read(), part)
    const found = cache.find(read(), 1)
    expect(found?.records).toEqual(part.records)
    expect(found?.records.buffer.byteLength).toBe(300)
  })

  it('gives memory back when a page is neither kept nor being sent', () => {
    const cache = new PageCache(10_000)
    const sent = page(1000)
    cache.keep(read(), sent)
    const answer = cache.keep(read(), sent)
    const again = cache.find(read(), 1)
    expect(again).toBeDefined()
    // Pushes it out.
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      for (const _ of [1, 2]) cache.keep(read({ maxObjects: n }), page(1000))
    }
    expect(cache.find(read(), 1)).toBeUndefined()
    for (const _ of ['once', 'by mistake']) answer.release()
    expect(sent.released()).toBe(0)
    again?.release()
    expect(sent.released()).toBe(1)
  })
})
