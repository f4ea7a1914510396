/** The objects and the most expensive legal requests of an overload run. */
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

const STRING = { type: 'string' } as const
const INTEGER = { type: 'integer' } as const
const keyed = (
  apiName: string,
  properties: OntologyDefinition['objectTypes'][0]['properties'],
) => ({
  apiName,
  primaryKey: 'id',
  properties: { id: STRING, ...properties },
})

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
    keyed('arrays', {
      text: STRING,
      words: { type: 'array', items: STRING },
      numbers: { type: 'array', items: INTEGER },
    }),
    // The caller that is measured writes to this type.
    keyed('note', { text: STRING, n: INTEGER }),
    keyed('large', {
      numbers: { type: 'array', items: INTEGER },
      ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`text${index}`, STRING])),
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
  const changes = Array.from({ length: objects }, (_, n) => ({ put: item(n) }))
  await writeChanges(service, batchPath(TYPE), changes)
}

/** A star with the largest number of corners that covers most of the earth. */
function worstPolygon(): object[] {
  const corners = Array.from({ length: 490 }, (_, index) => {
    const angle = (2 * Math.PI * index) / 490
    const radius = index % 2 === 0 ? 1 : 0.8
    return { longitude: 170 * radius * Math.cos(angle), latitude: 80 * radius * Math.sin(angle) }
  })
  return [...corners, corners[0] ?? {}]
}

const RANGES = Array.from({ length: 10 }, (_, index) => ({ gte: -1 - index, lt: 200_000 }))
const FAMILY_SEARCH = `/api/${ONTOLOGY}/v1/objects/types/${TYPE}/search`

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
      groupBy: [{ type: 'ranges', field: 'properties.group', ranges: RANGES }],
    },
  ],
  [FAMILY_SEARCH, { query: { type: 'geoPointWithin', polygon: worstPolygon() } }],
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

/** Makes a batch of about this many bytes for the type that floods write to. */
export function sinkBatch(bytes: number): Buffer {
  const line = (n: number) =>
    `{"put":{"id":"s${n}","n":${n},"text":"${'words to be indexed '.repeat(20)}${n}"}}\n`
  const count = Math.min(100_000, Math.floor(bytes / line(100_000).length))
  return Buffer.from(Array.from({ length: count }, (_, n) => line(n)).join(''))
}

/** What the objects of a batch hold. */
export type ArrayContent = 'texts' | 'text arrays' | 'integer arrays'

/** The largest number of values in the arrays of an object. */
const VALUES = 50_000

/** Makes a batch of about this many bytes that takes as long to index as possible. */
export function arrayBatch(content: ArrayContent, bytes: number): Buffer {
  const lines: string[] = []
  for (let [n, length] = [0, 0]; length < bytes; n += 1) {
    const value = (at: number) => (n * VALUES + at) * 7919
    const list = Array.from({ length: VALUES }, (_, at) => value(at) % 1_000_003)
    const object = {
      texts: {
        text: list
          .slice(0, 5000)
          .map((word) => `w${word}`)
          .join(' '),
      },
      'text arrays': { words: list.map((word) => `w${word}`) },
      'integer arrays': { numbers: list },
    }[content]
    const line = JSON.stringify({ put: { id: `${content} ${n}`, ...object } })
    length += line.length + 1
    if (length < bytes) lines.push(line)
  }
  return Buffer.from(lines.join('\n'))
}
