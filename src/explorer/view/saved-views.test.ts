import { expect, it } from 'vitest'
import { readViews, removeView, saveView } from './saved-views.ts'

function storage(text?: string) {
  const kept = new Map<string, string>(text === undefined ? [] : [['oqs.views', text]])
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

it('keeps views by name', () => {
  const kept = storage()
  saveView(kept, { name: 'b', address: '/o/x/y?q=1' })
  saveView(kept, { name: 'a', address: '/o/x/y' })
  saveView(kept, { name: 'b', address: '/o/x/y?q=2' })
  expect(readViews(kept)).toEqual([
    { name: 'a', address: '/o/x/y' },
    { name: 'b', address: '/o/x/y?q=2' },
  ])
  removeView(kept, 'a')
  expect(readViews(kept).map(({ name }) => name)).toEqual(['b'])
})

it('ignores what it did not write', () => {
  expect(readViews(storage('{'))).toEqual([])
  expect(readViews(storage('[1,null,{"name":"x","address":"https://other"}]'))).toEqual([])
})
