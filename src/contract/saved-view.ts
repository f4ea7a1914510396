/** Saved views: addresses of the explorer, kept in the service under a name. */
import { type Static, Type } from 'typebox'
import { closed, flag, namedObject, optional, text, time } from './schema-parts.ts'

/** The size of a saved view as JSON. */
export const SAVED_VIEW_MAX_BYTES = 16 * 1024

/** The number of views that one owner, and that all owners, can save in an ontology. */
export const OWN_VIEWS_MAX = 200
export const SAVED_VIEWS_MAX = 1000

/** Returns the beginning of the ids of an ontology's stored views, which are deleted with it. */
export function savedViewPrefix(ontologyRid: string): string {
  return `${ontologyRid}/`
}

const TILES_MAX = 24
const NAME_MAX_LENGTH = 200
const TEXT_MAX_LENGTH = 2000
const ADDRESS_MAX_LENGTH = 8000
const TILE_WIDTHS = [1, 2, 3] as const

/** An object type, then a key and a link if there are any, then the search parameters. */
const ADDRESS = '^/[^/?#\\s]+(?:/[^/?#\\s]+){0,2}(?:\\?[^#\\s]*)?$'

const Tile = namedObject(
  'SavedViewTile',
  {
    title: Type.Optional(Type.String({ maxLength: NAME_MAX_LENGTH })),
    search: Type.String({
      pattern: '^[^#\\s]*$',
      maxLength: ADDRESS_MAX_LENGTH,
      description: 'The search parameters of what the tile shows, such as `view=map`.',
    }),
    width: Type.Enum([...TILE_WIDTHS], { description: 'In thirds of the dashboard.' }),
  },
  closed,
)

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_LENGTH, pattern: '\\S' })
const address = Type.String({
  pattern: ADDRESS,
  maxLength: ADDRESS_MAX_LENGTH,
  description:
    'The address in the explorer after `/o/{ontology}`: an object type, optionally a primary key and a link, and search parameters. For a dashboard, the object type and the filters of all tiles.',
})
const tiles = Type.Array(Tile, {
  minItems: 1,
  maxItems: TILES_MAX,
  description: 'The tiles of a dashboard, in order. Absent for a view.',
})
const description = Type.String({ maxLength: TEXT_MAX_LENGTH })
const shared = flag(
  'Whether everyone who can see the object type sees the view. Otherwise, only its owner does.',
)

/** What a request saves. Null means absent. */
export const SavedViewBody = namedObject(
  'SavedViewBody',
  {
    name,
    description: optional(description),
    address,
    shared: optional(shared),
    tiles: optional(tiles),
  },
  closed,
)
export type SavedViewBody = Static<typeof SavedViewBody>

/** A saved view as responses show it. */
export const SavedView = namedObject('SavedView', {
  id: Type.String(),
  name,
  description: Type.Optional(description),
  address: text('The address in the explorer after `/o/{ontology}`.'),
  shared,
  tiles: Type.Optional(tiles),
  owner: text('The name of the caller that saved it.'),
  mayChange: flag('Whether the caller of the request may change and delete it.'),
  changedAt: time(),
})
export type SavedView = Static<typeof SavedView>
