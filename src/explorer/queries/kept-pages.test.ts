import { expect, it } from 'vitest'
import { KeptPages, type WalkPage } from './walk.ts'

it('drops the oldest pages beyond 64 MB, and says so', () => {
  const records = [{ key: 1, title: undefined, properties: {} }]
  const pages = new KeptPages(() => records)
  const add = (index: number) =>
    pages.add(
      { index, firstRow: index, count: 1 } as WalkPage,
      new Uint8Array(10 * 1024 * 1024),
      records,
    )
  for (let index = 0; index < 6; index += 1) add(index)
  expect(pages.hasEvicted).toBe(false)
  for (let index = 6; index < 8; index += 1) add(index)
  expect(pages.hasEvicted).toBe(true)
  expect([pages.record(0), pages.record(7)]).toEqual([undefined, records[0]])
  // The page itself stays known: its rows were read.
  expect(pages.pageAt(0)?.index).toBe(0)
})
