import { expect, it } from 'vitest'
import { EMPTY_VIEW, fromSearch } from '../view/view-state.ts'
import { moveTile, sharedSearch, type Tile, tileOfView, viewOfTile } from './dashboard-tiles.ts'

const view = (text: string) => fromSearch(new URLSearchParams(text))
const TEXTS = ['o=price:desc&c=name,price', 'view=map', 'view=charts&p=makerCode~avg:price']

it('shows each tile with the filters of the dashboard', () => {
  for (const text of TEXTS) {
    const shown = view(`w=price:gte:7&q=copper&in=1,2,3,4&${text}`)
    const tile = tileOfView({ ...shown, peek: 'i1', isSnapshot: true })
    expect(viewOfTile(tile, shown)).toEqual(shown)
    expect(viewOfTile(tile, EMPTY_VIEW)).toEqual(view(text))
  }
})

it('keeps in its address what all tiles share', () => {
  const shown = view('w=name:eq:a%26b&q=x y&o=price:asc&view=map&peek=i1')
  expect(view(sharedSearch(shown))).toEqual(view('w=name:eq:a%26b&q=x y'))
  expect(sharedSearch(EMPTY_VIEW)).toBe('')
})

it('moves tiles within the list', () => {
  const tiles = ['a', 'b', 'c'].map((search): Tile => ({ search, width: 1 }))
  const moved = (from: number, to: number) =>
    moveTile(tiles, from, to)
      .map(({ search }) => search)
      .join('')
  expect([moved(0, 1), moved(2, 0), moved(0, -1), moved(2, 3)]).toEqual([
    'bac',
    'cab',
    'abc',
    'abc',
  ])
})
