/** The tiles of a dashboard: what each shows, and how they are arranged. */
import type { SavedView } from '../../contract/saved-view.ts'
import { fromSearch, toSearch, type ViewState } from '../view/view-state.ts'

export type Tile = NonNullable<SavedView['tiles']>[number]
export type TileWidth = Tile['width']

export const TILE_WIDTHS: Readonly<Record<TileWidth, string>> = {
  1: 'one third',
  2: 'two thirds',
  3: 'full width',
}

/** The members of a view that all tiles of a dashboard have in common. */
type SharedPart = Pick<ViewState, 'filters' | 'text' | 'box' | 'unread'>

/** Returns the view that a tile shows, of the objects that the dashboard shows. */
export function viewOfTile(
  { search }: Tile,
  { filters, text, box, unread }: SharedPart,
): ViewState {
  const { order, columns, layout, chart, colour } = fromSearch(new URLSearchParams(search))
  return {
    ...fromSearch(new URLSearchParams()),
    ...{ filters, text, box, unread, order, columns, layout, chart, colour },
  }
}

/** Returns a view as a tile, without what all tiles share. */
export function tileOfView(view: ViewState): Tile {
  const { order, columns, layout, chart, colour } = view
  const empty = fromSearch(new URLSearchParams())
  const own =
    layout === 'table'
      ? { order, columns }
      : layout === 'map'
        ? { layout, colour }
        : { layout, chart }
  return { search: toSearch({ ...empty, ...own }).toString(), width: layout === 'table' ? 2 : 1 }
}

/** Returns what all tiles of a dashboard share, as the search parameters of its address. */
export function sharedSearch({ filters, text, box, unread }: SharedPart): string {
  const empty = fromSearch(new URLSearchParams())
  const search = toSearch({ ...empty, filters, text, box, unread }).toString()
  return search === '' ? '' : `?${search}`
}

/** Returns the tiles with one at another place, which stays within the list. */
export function moveTile(tiles: readonly Tile[], from: number, to: number): readonly Tile[] {
  const tile = tiles[from]
  if (tile === undefined || to < 0 || to >= tiles.length) return tiles
  return tiles.toSpliced(from, 1).toSpliced(to, 0, tile)
}
