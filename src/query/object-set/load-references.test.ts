import { expect, it } from 'vitest'
import { loadReferences } from './load-references.ts'

const reference = (rid: string) => ({ type: 'reference', reference: rid })
const AIRPORTS = { type: 'base', objectType: 'airport' }
const STORED = new Map<string, unknown>([
  ['set-1', AIRPORTS],
  ['set-2', reference('set-1')],
  ['loop', { type: 'union', objectSets: [reference('loop')] }],
])

const storedSet = (rid: string) =>
  STORED.has(rid) ? { objectSet: STORED.get(rid), bytes: 100 } : undefined

it('loads each reference of an object set once, with those that it refers to', async () => {
  const found: string[] = []
  const filtered = { type: 'filter', objectSet: reference('loop'), where: {} }
  const objectSets = [reference('set-2'), filtered, reference('set-9'), reference('set-2')]
  const loaded = await loadReferences({ type: 'union', objectSets }, 500, async (rid) => {
    found.push(rid)
    return storedSet(rid)
  })
  expect(found.sort()).toEqual(['loop', 'set-1', 'set-2', 'set-9'])
  expect(loaded('set-1')).toEqual(AIRPORTS)
  expect(loaded('set-9')).toBeUndefined()
})

it('loads no more references than a query may have terms', async () => {
  let lookUps = 0
  const objectSets = Array.from({ length: 1000 }, (_, index) => reference(`set-${index}`))
  const loading = loadReferences({ type: 'union', objectSets }, 500, async () => {
    lookUps += 1
    return undefined
  })
  await expect(loading).rejects.toMatchObject({
    errorName: 'QueryTermsExceededLimit',
    parameters: { termsLimit: 500 },
  })
  expect(lookUps).toBe(500)
})

it('stops when the sets together are too large', async () => {
  const bytes = 1024 * 1024
  let lookUps = 0
  const objectSets = Array.from({ length: 20 }, (_, index) => reference(`set-${index}`))
  const loading = loadReferences({ type: 'union', objectSets }, 500, async () => {
    lookUps += 1
    return { objectSet: AIRPORTS, bytes }
  })
  await expect(loading).rejects.toMatchObject({ errorName: 'UnsupportedObjectSet' })
  expect(lookUps).toBe(9)
})

it('reads lists of any length', async () => {
  const objectSets = [...Array<number>(400_000).fill(0), reference('set-1')]
  const loaded = await loadReferences({ type: 'union', objectSets }, 500, async (rid) =>
    storedSet(rid),
  )
  expect(loaded('set-1')).toEqual(AIRPORTS)
})
