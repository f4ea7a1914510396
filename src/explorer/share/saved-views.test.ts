import { expect, it } from 'vitest'
import { addressOf, type SavedView, savedAddress } from './saved-views.ts'

const view: SavedView = {
  id: 'v1',
  name: 'Large',
  address: '/city?w=x:gt:1',
  shared: false,
  owner: 'ada',
  mayChange: true,
  changedAt: '2026-01-01T00:00:00.000Z',
}

it('keeps what follows the ontology in an address', () => {
  expect(savedAddress('/o/a%2Fb/city', '?w=x:gt:1')).toBe(view.address)
  expect(savedAddress('/o/world/city/1/country', '')).toBe('/city/1/country')
})

it('leads to a view where the ontology is now, and to a dashboard by its id', () => {
  expect(addressOf('a/b', view)).toBe('/o/a%2Fb/city?w=x:gt:1')
  const tiles = [{ search: 'view=map', width: 1 as const }]
  expect(addressOf('a/b', { ...view, tiles })).toBe('/dashboards/a%2Fb/v1')
})
