/** A view of the objects of one type, and its conditions in the form that the client compiles. */
import type { TypePath } from '../../client/endpoints/pages.ts'
import {
  type Conditions,
  compileWhere,
  OBJECT_SET_SYNTAX,
} from '../../client/query/compile-where.ts'
import {
  isJsonNumber,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyType,
  type ScalarType,
} from '../api/ontology.ts'
import {
  type ApiRevision,
  type Box,
  type Filter,
  OPERATOR_NAMES,
  type Operator,
  type ViewState,
} from './view-state.ts'

/** An object type, with the ontology that defines it. */
export interface ShownType {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
}

/** A view of the objects of one type. */
export interface TypeView extends ShownType {
  readonly view: ViewState
  /** The version to read; undefined reads the newest. */
  readonly version?: number | undefined
}

/** Returns the names of a type, as endpoints take them. */
export function typePathOf({ ontology, objectType }: ShownType): TypePath {
  return { ontology: ontology.apiName, objectType: objectType.apiName }
}

/** Returns the conditions of a view, and further ones, for v2; undefined if there are none. */
export function whereOf(
  { view, objectType }: Pick<TypeView, 'view' | 'objectType'>,
  further: readonly JsonConditions[] = [],
) {
  return compileWhere([...conditionsOf(view, objectType, 'v2'), ...further], OBJECT_SET_SYNTAX)
}

export function isKnownField({ properties }: ObjectTypeDefinition, path: string): boolean {
  const [name = '', structField] = path.split('/')
  const property = properties[name]
  if (property === undefined || structField === undefined) return property !== undefined
  const element = property.type === 'array' ? property.items : property
  return element.type === 'struct' && structField in element.fields
}

/**
 * Returns the view without conditions and orders on unknown properties. An address may name some that
 * were removed since: they are shown, but not sent to the service.
 */
export function knownPart(view: ViewState, objectType: ObjectTypeDefinition): ViewState {
  return {
    ...view,
    filters: view.filters.filter(({ field }) => isKnownField(objectType, field)),
    order: view.order.filter(({ property }) => isKnownField(objectType, property)),
    box: pointProperty(objectType) === undefined ? undefined : view.box,
  }
}

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

export type JsonConditions = Conditions & { readonly [name: string]: Json }

/** A condition that an API cannot express. */
export class NotExpressible extends Error {
  constructor(what: string) {
    super(`This API cannot express ${what}.`)
    this.name = 'NotExpressible'
  }
}

const TERMS = 'words in one property'
const NULLS = 'a missing value'

/** What revision 2.0 has no conditions for. */
const NOT_IN_REVISION_2: Readonly<Partial<Record<Operator, string>>> = {
  words: TERMS,
  phrase: TERMS,
  prefix: TERMS,
  empty: NULLS,
  filled: NULLS,
}

/** Returns the conditions of a view. Throws `NotExpressible` if the API has no words for one. */
export function conditionsOf(
  { filters, text, box }: Pick<ViewState, 'filters' | 'text' | 'box'>,
  type: ObjectTypeDefinition,
  revision: ApiRevision,
): readonly JsonConditions[] {
  return [
    ...filters.map((filter) => filterCondition(filter, type, revision)),
    ...(text === '' ? [] : [textCondition(text, type, revision)]),
    ...(box === undefined ? [] : [boxCondition(box, type, revision)]),
  ]
}

function filterCondition(
  filter: Filter,
  type: ObjectTypeDefinition,
  revision: ApiRevision,
): JsonConditions {
  const { field, operator, value } = filter
  const missing = revision === '2' ? NOT_IN_REVISION_2[operator] : undefined
  if (missing !== undefined) throw new NotExpressible(missing)
  return { [field.replace('/', ':')]: operatorOf(operator, value, scalarOf(type, field)) }
}

function operatorOf(operator: Operator, value: string, type: ScalarType | undefined): Json {
  switch (operator) {
    case 'eq':
      return toJson(value, type)
    case 'empty':
    case 'filled':
      return { isNull: operator === 'empty' }
    case 'words':
      return { allTerms: value }
    case 'phrase':
    case 'prefix':
      return { [operator]: value }
    default:
      return { [operator]: toJson(value, type) }
  }
}

function textCondition(
  text: string,
  type: ObjectTypeDefinition,
  revision: ApiRevision,
): JsonConditions {
  if (revision === '2') return { $keyword: text }
  // While one types, the last word is unfinished.
  const [, words = '', last = text] = /^(.*)\s(\S+)$/s.exec(text) ?? []
  const alternatives = textProperties(type).map((name): JsonConditions => {
    const begun = { [name]: { prefix: last } }
    return words === '' ? begun : { $and: [{ [name]: { allTerms: words } }, begun] }
  })
  return { $or: alternatives }
}

function boxCondition(
  [west, south, east, north]: Box,
  type: ObjectTypeDefinition,
  revision: ApiRevision,
): JsonConditions {
  if (revision === '1') throw new NotExpressible('a box on the map')
  if (revision === '2') {
    const [northWest, southWest] = [
      [west, north],
      [west, south],
    ]
    return { $within: [southWest, [east, south], [east, north], northWest, southWest] }
  }
  const point = (...coordinates: readonly number[]): Json => ({ type: 'Point', coordinates })
  const corners = { topLeft: point(west, north), bottomRight: point(east, south) }
  return { [pointProperty(type) ?? '']: { withinBoundingBox: corners } }
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

const PRESENCE: readonly Operator[] = ['filled', 'empty']
const ORDERED: readonly Operator[] = ['eq', 'neq', 'gte', 'lte', 'gt', 'lt', ...PRESENCE]
const TEXT: readonly Operator[] = ['words', 'eq', 'neq', 'prefix', 'phrase', ...PRESENCE]

const BY_TYPE: Readonly<Partial<Record<ScalarType, readonly Operator[]>>> = {
  string: TEXT,
  boolean: ['eq', ...PRESENCE],
  marking: ['eq', 'neq', ...PRESENCE],
  geopoint: PRESENCE,
  geoshape: PRESENCE,
  attachment: PRESENCE,
}

/** Returns the operators for a property, the most useful first. */
export function operatorsOf(type: PropertyType): readonly Operator[] {
  if (type.type === 'struct') return PRESENCE
  if (type.type === 'array') {
    return type.items.type === 'string'
      ? ['contains', 'words', ...PRESENCE]
      : ['contains', ...PRESENCE]
  }
  return BY_TYPE[type.type] ?? ORDERED
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'filled'
}

/** Writes a filter as its pill shows it. */
export function describeFilter(
  { field, operator, value }: Filter,
  { properties }: ObjectTypeDefinition,
): string {
  const name = nameOfProperty(field, properties[field])
  return `${name} ${OPERATOR_NAMES[operator]} ${value}`.trim()
}
