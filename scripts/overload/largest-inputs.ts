/** The largest inputs that endpoints accept. */
import {
  DEFINITION_MAX_FIELDS,
  QUERY_MAX_VALUES,
  SET_PAGE_MAX_TYPES,
} from '../../src/contract/limits.ts'

/** Makes an object of about 4 kB, so that a thousand fill a page. */
export function largeObject(n: number): object {
  const texts = Array.from({ length: 10 }, (_, index) => [
    `text${index}`,
    `${index} ${n} ${'a few words of text '.repeat(20)}`,
  ])
  return { id: `l${n}`, ...Object.fromEntries(texts) }
}

/** Objects at the size limit that take the most work per byte. */
export const LARGE_OBJECTS: readonly { readonly name: string; readonly object: () => object }[] = [
  { name: 'one text', object: () => ({ id: 'text', text0: 'word '.repeat(800_000) }) },
  {
    name: 'different terms',
    object: () => ({ id: 'words', text0: Array.from({ length: 500_000 }, (_, n) => n).join(' ') }),
  },
  {
    name: 'an array of numbers',
    object: () => ({ id: 'numbers', numbers: Array.from({ length: 500_000 }, (_, n) => n) }),
  },
]

/** Returns a query string as long as a request line may be. */
export function manyFilters(): string {
  const filters = Array.from({ length: 400 }, (_, n) => `properties.group.eq=${n}`)
  return filters.join('&').slice(0, 12_000)
}

/** Returns about 1 MB of nested JSON. */
export function deepJson(): string {
  const depth = 40_000
  return `{"query":${'{"type":"not","value":'.repeat(depth)}{}${'}'.repeat(depth)}}`
}

/** An aggregation with the largest number of groups and metrics. */
export const WIDE_AGGREGATION = {
  aggregation: Array.from({ length: 100 }, (_, n) => ({
    type: ['sum', 'avg', 'min', 'max'][n % 4],
    field: n % 8 < 4 ? 'properties.price' : 'properties.group',
    name: `metric ${n}`,
  })),
  groupBy: [{ type: 'exact', field: 'properties.id', maxGroupCount: 10_000 }],
}

/** Returns a definition with the largest number of types with a hundred properties. */
export function largeDefinition(n: number): string {
  const properties = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`property${n}`, { type: 'string' }]),
  )
  const objectTypes = Array.from({ length: DEFINITION_MAX_FIELDS / 100 }, (_, type) => ({
    apiName: `type${type}`,
    primaryKey: 'property0',
    properties,
  }))
  return JSON.stringify({ apiName: `largest${n}`, objectTypes })
}

/** An object set over the largest number of types, with the largest number of values. */
export function widestObjectSet(): object {
  const types = Math.min(SET_PAGE_MAX_TYPES, DEFINITION_MAX_FIELDS / 100)
  const objectSets = Array.from({ length: types }, (_, n) => ({
    type: 'base',
    objectType: `type${n}`,
  }))
  const value = Array.from({ length: QUERY_MAX_VALUES / types }, (_, n) => `value ${n}`)
  return {
    objectSet: {
      type: 'filter',
      objectSet: { type: 'union', objectSets },
      where: { type: 'in', field: 'property1', value },
    },
    select: [],
  }
}
