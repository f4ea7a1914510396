/**
 * One example of each condition, over the books of docs/examples. The reference of conditions shows
 * them in every dialect, and a test sends each form to a service on both databases.
 */
import type { Conditions, WireQuery } from '../../src/client/query/compile-where.ts'

export interface ConditionExample {
  /** The word of the client and of the heading. */
  readonly name: string
  /** What it means, for which properties, and what differs between the dialects. */
  readonly text: string
  /** What the example selects, and the keys of the books that it finds. */
  readonly selects: string
  readonly keys: readonly string[]
  /** The condition as the client takes it; the other dialects follow from it. */
  readonly client?: Conditions
  /** A condition for which the client has no word, in the dialects that have one. */
  readonly wire?: { readonly revision2?: WireQuery; readonly v2?: WireQuery }
  /** The word of `@osdk/client`. */
  readonly osdk?: string
}

export interface ConditionGroup {
  readonly title: string
  readonly examples: readonly ConditionExample[]
}

const BOX = {
  topLeft: { type: 'Point', coordinates: [6, 48] },
  bottomRight: { type: 'Point', coordinates: [11, 45] },
}
const CORNERS = [
  [6, 45],
  [11, 45],
  [8.5, 49],
  [6, 45],
] as const
const POLYGON = { type: 'Polygon', coordinates: [CORNERS] }

const COMPARED =
  'Numbers are compared by value, strings by code point, dates and timestamps by time.'
const NO_STRINGS = 'Filters in a URL compare numbers, dates and timestamps only.'

export const CONDITION_GROUPS: readonly ConditionGroup[] = [
  {
    title: 'Compare',
    examples: [
      {
        name: 'eq',
        text: 'Equal. Strings are compared by code point, and case matters. For all types except arrays, structs, geopoints, geoshapes and attachments. In the client, a value alone means `eq`.',
        selects: 'books with this title',
        keys: ['refactoring'],
        client: { title: { eq: 'Refactoring' } },
        osdk: '$eq',
      },
      {
        name: 'neq',
        text: 'Not equal. Objects without a value match too.',
        selects: 'all books except one',
        keys: ['js', 'refactoring', 'types'],
        client: { id: { neq: 'c' } },
        osdk: '$ne',
      },
      {
        name: 'in',
        text: 'Equal to any value of a list. Up to 10,000 values in v2; elsewhere, each value is a condition of its own.',
        selects: 'the books with one of two ids',
        keys: ['c', 'js'],
        client: { id: { in: ['c', 'js'] } },
        osdk: '$in',
      },
      {
        name: 'lt',
        text: `Less than. ${COMPARED} ${NO_STRINGS}`,
        selects: 'books with fewer than 272 pages',
        keys: ['js'],
        client: { pages: { lt: 272 } },
        osdk: '$lt',
      },
      {
        name: 'lte',
        text: 'At most.',
        selects: 'books with at most 272 pages',
        keys: ['c', 'js'],
        client: { pages: { lte: 272 } },
        osdk: '$lte',
      },
      {
        name: 'gt',
        text: 'Greater than.',
        selects: 'books published after 1 February 2002',
        keys: ['js'],
        client: { published: { gt: '2002-02-01' } },
        osdk: '$gt',
      },
      {
        name: 'gte',
        text: 'At least.',
        selects: 'books published on 1 February 2002 or later',
        keys: ['js', 'types'],
        client: { published: { gte: '2002-02-01' } },
        osdk: '$gte',
      },
      {
        name: 'isNull',
        text: 'Without a value; with `false`, with one. An empty array or struct is a value.',
        selects: 'books whose number of pages is unknown',
        keys: ['types'],
        client: { pages: { isNull: true } },
        osdk: '$isNull',
      },
      {
        name: 'relativeDateRange',
        text: 'Dates and timestamps relative to today, from the start (included) to the end (excluded). One of the two may be missing. `timeUnit` is `DAY`, `WEEK`, `MONTH` or `YEAR`, and `timeZoneId` decides when a day begins. All pages of a walk use the day of its first page.',
        selects: 'books published in the last hundred years, until yesterday',
        keys: ['c', 'js', 'refactoring', 'types'],
        client: {
          published: {
            relativeDateRange: {
              relativeStartTime: { type: 'relativePoint', value: -100, timeUnit: 'YEAR' },
              relativeEndTime: { type: 'relativePoint', value: -1, timeUnit: 'DAY' },
              timeZoneId: 'Europe/Zurich',
            },
          },
        },
      },
    ],
  },
  {
    title: 'Texts',
    examples: [
      {
        name: 'allTerms',
        text: 'All [terms](text-search.md#terms), in any order, ignoring case and accents. With `fuzzy`, terms may be misspelt: by one letter if they have 3 to 5, by two if they are longer.',
        selects: 'titles with both words, misspelt',
        keys: ['c'],
        client: { title: { allTerms: { value: 'langauge programing', fuzzy: true } } },
        osdk: '$containsAllTerms',
      },
      {
        name: 'anyTerm',
        text: 'At least one of the terms; `fuzzy` as above.',
        selects: 'titles with one of the words',
        keys: ['refactoring', 'types'],
        client: { title: { anyTerm: 'types refactoring' } },
        osdk: '$containsAnyTerm',
      },
      {
        name: 'phrase',
        text: 'The terms next to each other, in this order.',
        selects: 'titles with this phrase',
        keys: ['js'],
        client: { title: { phrase: 'javascript the good' } },
        osdk: '$containsAllTermsInOrder',
      },
      {
        name: 'prefix',
        text: 'A phrase whose last term may be the beginning of a longer one. Use it while a user types. It may stand anywhere in the text; for the beginning of the value, use `wildcard`.',
        selects: 'titles with a phrase that begins so',
        keys: ['c', 'types'],
        client: { title: { prefix: 'programming lang' } },
        osdk: '$startsWith',
      },
      {
        name: 'startsWith',
        text: 'An older name of the condition above.',
        selects: 'titles with a phrase that begins so',
        keys: ['js'],
        client: { title: { startsWith: 'good pa' } },
      },
      {
        name: 'keyword',
        text: 'All terms, each in any string property of the object.',
        selects: 'one term is in the title, the other in a tag',
        keys: ['refactoring'],
        client: { $keyword: 'refactoring classic' },
      },
      {
        name: 'interval',
        text: 'Terms near each other, by a [rule](#interval-rules).',
        selects: 'at most two terms between these two',
        keys: ['types'],
        client: {
          title: {
            interval: { type: 'match', query: 'types languages', ordered: true, maxGaps: 2 },
          },
        },
        osdk: '$interval',
      },
      {
        name: 'wildcard',
        text: 'The whole value matches a pattern, and case matters. `*` stands for any text, `?` for one character; `\\` makes the next character literal.',
        selects: 'titles that begin with `Java`',
        keys: ['js'],
        client: { title: { wildcard: 'Java*' } },
      },
      {
        name: 'regex',
        text: 'The whole value matches a [regular expression](#regular-expressions), and case matters.',
        selects: 'ids of one or two letters',
        keys: ['c', 'js'],
        client: { id: { regex: '[a-z]{1,2}' } },
        osdk: '$matchesRegex',
      },
    ],
  },
  {
    title: 'Arrays, structs and links',
    examples: [
      {
        name: 'contains',
        text: 'Arrays with an element that equals the value. Text conditions also match arrays of strings.',
        selects: 'books with this tag',
        keys: ['c', 'refactoring'],
        client: { tags: { contains: 'classic' } },
        osdk: '$contains',
      },
      {
        name: 'fields of structs',
        text: 'Every condition can name a field of a struct by its [path](ontology.md#paths). In an array of structs, any of them may match.',
        selects: 'books with this author',
        keys: ['c'],
        client: { 'authors:name': { eq: 'Dennis Ritchie' } },
        osdk: '{ field: … }',
      },
      {
        name: 'linked',
        text: 'Objects that a link connects with at least one object that matches `where`; without `where`, with any object. A `linked` may stand inside another, up to three deep. Objects at the other end count as far as the caller may see them. Policies and interfaces cannot use it.',
        selects: 'books that are based on a book with fewer than 300 pages',
        keys: ['types'],
        wire: {
          v2: {
            type: 'linked',
            link: 'basis',
            where: { type: 'lt', field: 'pages', value: 300 },
          },
        },
      },
    ],
  },
  {
    title: 'Positions',
    examples: [
      {
        name: 'withinDistanceOf',
        text: 'Geopoints at most this far away, measured on a sphere. Units: `MILLIMETERS`, `CENTIMETERS`, `METERS`, `KILOMETERS`, `INCHES`, `FEET`, `YARDS`, `MILES`, `NAUTICAL_MILES`.',
        selects: 'shops within 30 km of Zurich',
        keys: ['refactoring'],
        client: {
          shop: {
            withinDistanceOf: {
              center: { type: 'Point', coordinates: [8.5, 47.4] },
              distance: { value: 30, unit: 'KILOMETERS' },
            },
          },
        },
        osdk: '$within',
      },
      {
        name: 'withinBoundingBox',
        text: 'Completely inside a box. A box whose left edge is east of its right edge crosses the antimeridian.',
        selects: 'shops in this box',
        keys: ['refactoring'],
        client: { shop: { withinBoundingBox: BOX } },
        osdk: '$within',
      },
      {
        name: 'intersectsBoundingBox',
        text: 'Touches or overlaps a box.',
        selects: 'shops in this box',
        keys: ['refactoring'],
        client: { shop: { intersectsBoundingBox: BOX } },
        osdk: '$intersects',
      },
      {
        name: 'doesNotIntersectBoundingBox',
        text: 'Outside a box.',
        selects: 'shops elsewhere',
        keys: ['js'],
        client: { shop: { doesNotIntersectBoundingBox: BOX } },
      },
      {
        name: 'withinPolygon',
        text: 'Completely inside a GeoJSON polygon. The last position repeats the first; further rings are holes.',
        selects: 'shops in this triangle',
        keys: ['refactoring'],
        client: { shop: { withinPolygon: POLYGON } },
        osdk: '$within',
      },
      {
        name: 'intersectsPolygon',
        text: 'Touches or overlaps a polygon.',
        selects: 'shops in this triangle',
        keys: ['refactoring'],
        client: { shop: { intersectsPolygon: POLYGON } },
        osdk: '$intersects',
      },
      {
        name: 'doesNotIntersectPolygon',
        text: 'Outside a polygon.',
        selects: 'shops elsewhere',
        keys: ['js'],
        client: { shop: { doesNotIntersectPolygon: POLYGON } },
      },
      {
        name: 'geoShapeV2',
        text: 'Any geometry: an `envelope`, which is a box, or GeoJSON as a string. `spatialFilterMode` is `WITHIN`, `INTERSECTS`, `DISJOINT`, or `CONTAINS` for geoshapes that contain points.',
        selects: 'shops in this triangle',
        keys: ['refactoring'],
        wire: {
          v2: {
            type: 'geoShapeV2',
            field: 'shop',
            spatialFilterMode: 'WITHIN',
            geometry: { type: 'geoJson', geoJson: JSON.stringify(POLYGON) },
          },
        },
      },
      {
        name: 'geoPointWithin',
        text: 'Any geopoint of the object inside a polygon or on its edge. The last position repeats the first.',
        selects: 'books with a position in this triangle',
        keys: ['refactoring'],
        client: { $within: CORNERS },
      },
    ],
  },
  {
    title: 'Combine',
    examples: [
      {
        name: 'and',
        text: 'All must hold. In a URL, all filters must hold. An empty list is an error, except in v2: the official SDK sends it for `.where({})`, and it selects everything.',
        selects: 'classics with more than 300 pages',
        keys: ['refactoring'],
        client: { $and: [{ tags: { contains: 'classic' } }, { pages: { gt: 300 } }] },
        osdk: '$and',
      },
      {
        name: 'or',
        text: 'At least one must hold. An empty list is an error.',
        selects: 'books that are short or old',
        keys: ['c', 'js'],
        client: { $or: [{ pages: { lt: 200 } }, { published: { lt: '1990-01-01' } }] },
        osdk: '$or',
      },
      {
        name: 'not',
        text: 'Must not hold. A condition on a property without a value is false, so its `not` is true: `types` has no `pages`. To exclude such objects, add an `isNull` with `false`.',
        selects: 'all books except those with more than 200 pages',
        keys: ['js', 'types'],
        client: { $not: { pages: { gt: 200 } } },
        osdk: '$not',
      },
      {
        name: 'empty',
        text: 'Every object. Elsewhere, leave out the condition.',
        selects: 'all books',
        keys: ['c', 'js', 'refactoring', 'types'],
        wire: { revision2: { type: 'empty' } },
      },
    ],
  },
]

export const CONDITION_EXAMPLES = CONDITION_GROUPS.flatMap(({ examples }) => examples)
