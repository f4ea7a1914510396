/** The objects of an overload run, the most expensive legal requests, and the largest legal inputs. */
import {
  DEFINITION_MAX_FIELDS,
  QUERY_MAX_VALUES,
  SET_PAGE_MAX_TYPES,
} from '../../src/contract/limits.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { Target } from '../measure/connection.ts'
import { define, writeChanges } from '../measure/parts.ts'
import { count, showProgress } from '../measure/report.ts'

export const ONTOLOGY = 'overload'
export const TYPE = 'item'
export const LIST_PATH = `/api/v1/ontologies/${ONTOLOGY}/objects/${TYPE}`

/** The endpoint for writes to a type. */
export function batchPath(type: string): string {
  return `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${type}`
}

type Properties = OntologyDefinition['objectTypes'][0]['properties']

const STRING = { type: 'string' } as const
const INTEGER = { type: 'integer' } as const
const INTEGERS = { type: 'array', items: INTEGER } as const
const keyed = (apiName: string, properties: Properties) => ({
  apiName,
  primaryKey: 'id',
  properties: { id: STRING, ...properties },
})
/** Makes a value for each number from 0 on. */
const times = <T>(length: number, make: (n: number) => T) =>
  Array.from({ length }, (_, n) => make(n))

export const DEFINITION: OntologyDefinition = {
  apiName: ONTOLOGY,
  families: [ONTOLOGY],
  objectTypes: [
    keyed(TYPE, {
      group: INTEGER,
      price: { type: 'double' },
      text: STRING,
      tags: { type: 'array', items: STRING },
      location: { type: 'geopoint' },
    }),
    // Floods write to this type, so that the objects of the other stay the same.
    keyed('sink', { text: STRING, n: INTEGER }),
    // The most expensive objects to index.
    keyed('arrays', { text: STRING, words: { type: 'array', items: STRING }, numbers: INTEGERS }),
    // The caller that is measured writes to this type.
    keyed('note', { text: STRING, n: INTEGER }),
    keyed('large', {
      numbers: INTEGERS,
      ...Object.fromEntries(times(10, (n) => [`text${n}`, STRING])),
    }),
  ],
}

/** Makes an object with common terms and a unique one. */
function item(n: number): object {
  return {
    id: `i${String(n).padStart(7, '0')}`,
    group: n % 1000,
    price: (n * 7919) % 100_003,
    text: `common words of many objects rare${n}`,
    tags: [`tag${n % 10}`, `tag${n % 7}`],
    location: { type: 'Point', coordinates: [((n * 37) % 3600) / 10 - 180, (n % 1700) / 10 - 85] },
  }
}

/** Defines the types and writes the objects that are queried. */
export async function loadItems(service: Target, objects: number): Promise<void> {
  showProgress(`loading ${count(objects)} objects`)
  await define(service, DEFINITION)
  const changes = times(objects, (n) => ({ put: item(n) }))
  await writeChanges(service, batchPath(TYPE), changes)
}

/** A star with the largest number of corners that covers most of the earth. */
function worstPolygon(): object[] {
  const corners = times(490, (n) => {
    const angle = (2 * Math.PI * n) / 490
    const radius = n % 2 === 0 ? 1 : 0.8
    return { longitude: 170 * radius * Math.cos(angle), latitude: 80 * radius * Math.sin(angle) }
  })
  return [...corners, corners[0] ?? {}]
}

/** The most expensive legal queries. */
export const WORST_QUERIES: readonly (readonly [path: string, body: object])[] = [
  [
    `${LIST_PATH}/aggregate`,
    {
      aggregation: ['id', 'text', 'price'].map((field) => ({
        type: 'approximateDistinct',
        field: `properties.${field}`,
        name: field,
      })),
      groupBy: [
        {
          type: 'ranges',
          field: 'properties.group',
          ranges: times(10, (n) => ({ gte: -1 - n, lt: 200_000 })),
        },
      ],
    },
  ],
  [
    `/api/${ONTOLOGY}/v1/objects/types/${TYPE}/search`,
    { query: { type: 'geoPointWithin', polygon: worstPolygon() } },
  ],
  [
    `${LIST_PATH}/search`,
    { query: { type: 'anyTerm', field: 'properties.text', value: 'common' } },
  ],
  [
    `${LIST_PATH}/search`,
    {
      query: { type: 'not', value: { type: 'eq', field: 'properties.group', value: 1 } },
      orderBy: {
        fields: [
          { field: 'properties.group', direction: 'desc' },
          { field: 'properties.price', direction: 'asc' },
        ],
      },
    },
  ],
]

/** The largest number of values in the arrays of an object. */
const VALUES = 50_000
const numbersOf = (n: number, length: number) =>
  times(length, (at) => ((n * VALUES + at) * 7919) % 1_000_003)
const wordsOf = (n: number, length: number) => numbersOf(n, length).map((word) => `w${word}`)

/** Objects that are slow to index, and their types. */
const CONTENTS = {
  sentences: ['sink', (n: number) => ({ n, text: 'words to be indexed '.repeat(20) + n })],
  texts: ['arrays', (n: number) => ({ text: wordsOf(n, 5000).join(' ') })],
  'text arrays': ['arrays', (n: number) => ({ words: wordsOf(n, VALUES) })],
  'integer arrays': ['arrays', (n: number) => ({ numbers: numbersOf(n, VALUES) })],
} as const

/** Makes the request for a batch of about this many bytes, of at most 100,000 objects. */
export function batchOf(content: keyof typeof CONTENTS, bytes: number, target = '') {
  const [type, object] = CONTENTS[content]
  const lines: string[] = []
  for (let [n, length] = [0, 0]; length < bytes && n < 100_000; n += 1) {
    const line = JSON.stringify({ put: { id: `${content} ${n}`, ...object(n) } })
    length += line.length + 1
    if (length < bytes) lines.push(line)
  }
  const body = Buffer.from(lines.join('\n'))
  const path = batchPath(target || type)
  return { method: 'POST', path, contentType: 'application/x-ndjson', body }
}

/** Makes an object of about 4 kB, so that a thousand fill a page. */
export function largeObject(n: number): object {
  const text = 'a few words of text '.repeat(20)
  return {
    id: `l${n}`,
    ...Object.fromEntries(times(10, (at) => [`text${at}`, `${at} ${n} ${text}`])),
  }
}

/** Objects at the size limit that take the most work per byte. */
export const LARGE_OBJECTS: Readonly<Record<string, () => object>> = {
  'one text': () => ({ id: 'text', text0: 'word '.repeat(800_000) }),
  'different terms': () => ({ id: 'words', text0: times(500_000, (n) => n).join(' ') }),
  'an array of numbers': () => ({ id: 'numbers', numbers: times(500_000, (n) => n) }),
}

/** Returns a query string as long as a request line may be. */
export function manyFilters(): string {
  return times(400, (n) => `properties.group.eq=${n}`)
    .join('&')
    .slice(0, 12_000)
}

/** Returns about 1 MB of nested JSON. */
export function deepJson(): string {
  const depth = 40_000
  return `{"query":${'{"type":"not","value":'.repeat(depth)}{}${'}'.repeat(depth)}}`
}

/** An aggregation with the largest number of groups and metrics. */
export const WIDE_AGGREGATION = {
  aggregation: times(100, (n) => ({
    type: ['sum', 'avg', 'min', 'max'][n % 4],
    field: n % 8 < 4 ? 'properties.price' : 'properties.group',
    name: `metric ${n}`,
  })),
  groupBy: [{ type: 'exact', field: 'properties.id', maxGroupCount: 10_000 }],
}

/** The largest number of types with a hundred properties. */
export const MOST_TYPES = DEFINITION_MAX_FIELDS / 100

/** Returns a definition with many types of many properties. */
export function wideDefinition(apiName: string, types: number, properties: number) {
  const named = Object.fromEntries(times(properties, (n) => [`property${n}`, STRING]))
  const objectTypes = times(types, (n) => ({
    apiName: `type${n}`,
    primaryKey: 'property0',
    properties: named,
  }))
  return { apiName, objectTypes }
}

/** An object set over the largest number of types, with the largest number of values. */
export function widestObjectSet(): object {
  const types = Math.min(SET_PAGE_MAX_TYPES, MOST_TYPES)
  const objectSets = times(types, (n) => ({ type: 'base', objectType: `type${n}` }))
  const value = times(QUERY_MAX_VALUES / types, (n) => `value ${n}`)
  return {
    objectSet: {
      type: 'filter',
      objectSet: { type: 'union', objectSets },
      where: { type: 'in', field: 'property1', value },
    },
    select: [],
  }
}
