import { expect, it } from 'vitest'
import { loadReferences } from './load-references.ts'

const reference = (rid: string) => ({ type: 'reference', reference: rid })
const AIRPORTS = { type: 'base', objectType: 'airport' }
const STORED = new Map<string, unknown>([
  ['set-1', AIRPORTS],
  ['set-2', reference('set-1')],
  ['loop', { type: 'union', objectSets: [reference('loop')] }],
])

it('loads each reference of an object set once, with those that it refers to', async () => {
  const found: string[] = []
  const filtered = { type: 'filter', objectSet: reference('loop'), where: {} }
  const objectSets = [reference('set-2'), filtered, reference('set-9'), reference('set-2')]
  const storedSet = await loadReferences({ type: 'union', objectSets }, async (rid) => {
    found.push(rid)
    return STORED.get(rid)
  })
  expect(found.sort()).toEqual(['loop', 'set-1', 'set-2', 'set-9'])
  expect(storedSet('set-1')).toEqual(AIRPORTS)
  expect(storedSet('set-9')).toBeUndefined()
})
