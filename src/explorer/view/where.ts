/** Writes the conditions of a view in the query language of each API. */
import { isJsonNumber } from '../api/number-types.ts'
import type { ObjectTypeDefinition, PropertyType, ScalarType } from '../api/ontology.ts'
import type { Box, Filter, ViewState } from './view-state.ts'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }
type Query = { readonly [name: string]: Json }

/** The syntax of conditions in one API. A part that it cannot express is undefined. */
interface Dialect {
  /** Returns the member that names a property or a field of a struct. */
  readonly field: (path: string) => Query
  readonly textTypes: Readonly<Record<'words' | 'phrase' | 'prefix', string>> | undefined
  readonly hasNull: boolean
  readonly contains: string | undefined
  readonly freeText: (text: string, type: ObjectTypeDefinition) => Query
  readonly box: (box: Box, type: ObjectTypeDefinition) => Query
}

const V2: Dialect = {
  field: (path) => {
    const [propertyApiName = '', structFieldApiName] = path.split('/')
    if (structFieldApiName === undefined) return { field: propertyApiName }
    return { propertyIdentifier: { type: 'structField', propertyApiName, structFieldApiName } }
  },
  textTypes: {
    words: 'containsAllTerms',
    phrase: 'containsAllTermsInOrder',
    prefix: 'containsAllTermsInOrderPrefixLastTerm',
  },
  hasNull: true,
  contains: 'contains',
  freeText: (text, type) => ({
    type: 'or',
    value: textProperties(type).map((field) => ({ type: 'containsAllTerms', field, value: text })),
  }),
  box: ([west, south, east, north], type) => ({
    type: 'withinBoundingBox',
    field: pointProperty(type) ?? '',
    value: {
      topLeft: { type: 'Point', coordinates: [west, north] },
      bottomRight: { type: 'Point', coordinates: [east, south] },
    },
  }),
}

const REVISION_1: Dialect = {
  field: (path) => ({ field: `properties.${path.replace('/', '.')}` }),
  textTypes: { words: 'allTerms', phrase: 'phrase', prefix: 'prefix' },
  hasNull: true,
  contains: 'contains',
  freeText: (text, type) => ({
    type: 'or',
    value: textProperties(type).map((field) => ({
      type: 'allTerms',
      field: `properties.${field}`,
      value: text,
    })),
  }),
  box: () => {
    throw new NotExpressible('a box on the map')
  },
}

const REVISION_2: Dialect = {
  field: (path) => ({ field: path.replace('/', ':') }),
  textTypes: undefined,
  hasNull: false,
  contains: 'eq',
  freeText: (text) => ({ type: 'keyword', query: text }),
  box: ([west, south, east, north]) => ({
    type: 'geoPointWithin',
    polygon: [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ].map(([longitude = 0, latitude = 0]) => ({ longitude, latitude })),
  }),
}

export const DIALECTS = { '1': REVISION_1, '2': REVISION_2, v2: V2 } as const

/** A condition that an API cannot express. */
export class NotExpressible extends Error {
  constructor(what: string) {
    super(`This API cannot express ${what}.`)
    this.name = 'NotExpressible'
  }
}

/** Returns the conditions of a view as one query; undefined if there are none. */
export function whereOf(
  view: Pick<ViewState, 'filters' | 'text' | 'box'>,
  type: ObjectTypeDefinition,
  dialect: Dialect,
): Query | undefined {
  const conditions = [
    ...view.filters.map((filter) => filterQuery(filter, type, dialect)),
    ...(view.text === '' ? [] : [dialect.freeText(view.text, type)]),
    ...(view.box === undefined ? [] : [dialect.box(view.box, type)]),
  ]
  const [first] = conditions
  return conditions.length > 1 ? { type: 'and', value: conditions } : first
}

function filterQuery(
  { field: path, operator, value }: Filter,
  type: ObjectTypeDefinition,
  dialect: Dialect,
): Query {
  const field = dialect.field(path)
  const not = (query: Query): Query => ({ type: 'not', value: query })
  switch (operator) {
    case 'empty':
    case 'filled': {
      if (!dialect.hasNull) throw new NotExpressible('a missing value')
      return { type: 'isNull', ...field, value: operator === 'empty' }
    }
    case 'words':
    case 'phrase':
    case 'prefix': {
      if (dialect.textTypes === undefined) throw new NotExpressible('words in one property')
      return { type: dialect.textTypes[operator], ...field, value }
    }
    case 'contains': {
      if (dialect.contains === undefined) throw new NotExpressible('an element of an array')
      return { type: dialect.contains, ...field, value: toJson(value, scalarOf(type, path)) }
    }
    case 'neq':
      return not({ type: 'eq', ...field, value: toJson(value, scalarOf(type, path)) })
    default:
      return { type: operator, ...field, value: toJson(value, scalarOf(type, path)) }
  }
}

/** Returns the type of single values at a path; undefined if the path is unknown. */
export function scalarOf(type: ObjectTypeDefinition, path: string): ScalarType | undefined {
  const [name = '', structField] = path.split('/')
  const definition: PropertyType | undefined = type.properties[name]
  const element = definition?.type === 'array' ? definition.items : definition
  if (element === undefined || element.type === 'array') return undefined
  if (element.type !== 'struct') return structField === undefined ? element.type : undefined
  const field = element.fields[structField ?? '']
  return field === undefined || field.type === 'array' || field.type === 'struct'
    ? undefined
    : field.type
}

/** Long and decimal stay text, so that no digit is lost. */
export function toJson(value: string, type: ScalarType | undefined): Json {
  if (type === 'boolean') return value === 'true'
  const number = Number(value)
  return isJsonNumber(type) && value.trim() !== '' && Number.isFinite(number) ? number : value
}

/** Returns the paths of all texts, struct fields included. */
export function textProperties({ properties }: ObjectTypeDefinition): string[] {
  return Object.entries(properties)
    .filter(([, definition]) => {
      const element = definition.type === 'array' ? definition.items : definition
      return element.type === 'string'
    })
    .map(([name]) => name)
}

/** Returns the first property with positions. */
export function pointProperty({ properties }: ObjectTypeDefinition): string | undefined {
  return Object.entries(properties).find(([, { type }]) => type === 'geopoint')?.[0]
}
