/**
 * Compiles the filters, the search text and the box of a view to conditions of a request. Everything
 * that reads, counts, follows or exports the objects of a view takes its conditions from here.
 */
import {
  type Conditions,
  compileWhere,
  OBJECT_SET_SYNTAX,
} from '../../client/query/compile-where.ts'
import { isJsonNumber, type ObjectTypeDefinition, type ScalarType } from '../api/ontology.ts'
import { type FieldAt, fieldAt, type ShownType, scalarIn } from './field-at.ts'
import { alternativesOf, boundsOf, type Condition, type Filter, valuesOf } from './filters.ts'
import { type SearchTerm, termsOf } from './search-text.ts'
import {
  placeProperty,
  pointProperty,
  shapeProperty,
  type TypeView,
  textProperties,
} from './type-view.ts'
import type { Box, ViewState } from './view-state.ts'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

export type JsonConditions = Conditions & { readonly [name: string]: Json }

/** A part of a view that selects objects, and that their type does not have. */
export class LostCondition extends Error {
  constructor(name: string) {
    super(`A filter of the view cannot be applied: ${name}.`)
    this.name = 'LostCondition'
  }
}

/** Returns the `where` of a view with further conditions; undefined if there are none. */
export function whereOf(of: TypeView, further: readonly JsonConditions[] = []) {
  return compileWhere([...conditionsOf(of.view, of), ...further], OBJECT_SET_SYNTAX)
}

/**
 * Returns the conditions of a view. Throws `LostCondition` if there is nothing that one could mean:
 * without it, other objects would be found.
 */
export function conditionsOf(
  { filters, text, box, unread }: Pick<ViewState, 'filters' | 'text' | 'box' | 'unread'>,
  of: ShownType,
): readonly JsonConditions[] {
  const [lost] = unread
  if (lost !== undefined) throw new LostCondition(`${lost.join('=')} cannot be read`)
  return [
    ...filters.map((filter) => filterCondition(filter, of)),
    ...(termsOf(text).length === 0 ? [] : [textCondition(text, of.objectType)]),
    ...(box === undefined ? [] : [boxCondition(box, of.objectType)]),
  ]
}

function filterCondition(filter: Filter, of: ShownType): JsonConditions {
  const conditions = alternativesOf(filter).map((each) => conditionOf(each, of))
  const [first = {}, ...others] = conditions
  return others.length === 0 ? first : { $or: conditions }
}

function conditionOf(condition: Condition, of: ShownType): JsonConditions {
  const field = fieldAt(of, condition.field)
  if (field === undefined) throw new LostCondition(`there is no property “${condition.field}”`)
  if (field.links.length === 0) return ownCondition(condition, field)
  if (field.path !== undefined) {
    return linked(field, [ownCondition({ ...condition, field: field.path }, field)])
  }
  const any = linked(field, [])
  return condition.operator === 'empty' ? { $not: any } : any
}

/** The links of a path, each inside the one before it. */
function linked({ links }: FieldAt, conditions: readonly JsonConditions[]): JsonConditions {
  const where = compileWhere(conditions, OBJECT_SET_SYNTAX) as Json | undefined
  const query = links.reduceRight<Json | undefined>(
    (inner, { apiName: link }) => ({
      type: 'linked',
      link,
      ...(inner !== undefined && { where: inner }),
    }),
    where,
  )
  return { $query: query ?? null }
}

function ownCondition(condition: Condition, field: FieldAt): JsonConditions {
  const name = condition.field.replace('/', ':')
  const { operator, value } = condition
  const scalar = scalarIn(field.type)
  const isArray = field.type?.type === 'array'
  const values = valuesOf(condition).map((each) => toJson(each, scalar))
  switch (operator) {
    case 'eq':
      return { [name]: toJson(value, scalar) }
    case 'in':
    case 'notIn': {
      // A list of one value is that value, and nothing is one of no values.
      const any: JsonConditions = isArray
        ? { $or: values.map((each) => ({ [name]: { contains: each } })) }
        : { [name]: { in: values } }
      return operator === 'in' ? any : { $not: any }
    }
    case 'between':
      return { $and: boundsOf(condition).map((bound) => ownCondition(bound, field)) }
    case 'empty':
    case 'filled':
      return { [name]: { isNull: operator === 'empty' } }
    case 'words':
      return { [name]: { allTerms: value } }
    case 'contains':
      return isArray ? { [name]: { contains: toJson(value, scalar) } } : inside(name, value)
    case 'phrase':
    case 'prefix':
      return { [name]: { [operator]: value } }
    default:
      return { [name]: { [operator]: toJson(value, scalar) } }
  }
}

/** A text that contains another anywhere, whatever the case of its letters. */
function inside(name: string, text: string): JsonConditions {
  const letters = [...text].map((letter) => {
    const cases = [...new Set([letter.toLowerCase(), letter.toUpperCase()])]
    const isCased = cases.length > 1 && cases.every((each) => [...each].length === 1)
    return isCased ? `[${cases.join('')}]` : letter.replaceAll(/[^\p{L}\p{N}\s]/gu, '\\$&')
  })
  return { [name]: { regex: `.*${letters.join('')}.*` } }
}

function textCondition(text: string, type: ObjectTypeDefinition): JsonConditions {
  const terms = termsOf(text)
  const alternatives = textProperties(type).map((name): JsonConditions => {
    const conditions = terms.map((term) => termCondition(name, term))
    const [first = {}, ...others] = conditions
    return others.length === 0 ? first : { $and: conditions }
  })
  return { $or: alternatives }
}

function termCondition(name: string, { kind, text }: SearchTerm): JsonConditions {
  if (kind === 'inside') return inside(name, text)
  return { [name]: { [kind === 'words' ? 'allTerms' : kind]: text } }
}

function boxCondition([west, south, east, north]: Box, type: ObjectTypeDefinition): JsonConditions {
  if (placeProperty(type) === undefined) throw new LostCondition('there are no positions')
  const point = (...coordinates: readonly number[]): Json => ({ type: 'Point', coordinates })
  const corners = { topLeft: point(west, north), bottomRight: point(east, south) }
  const points = pointProperty(type)
  return points === undefined
    ? { [shapeProperty(type) ?? '']: { intersectsBoundingBox: corners } }
    : { [points]: { withinBoundingBox: corners } }
}

/** Long and decimal stay text, so that no digit is lost. */
export function toJson(value: string, type: ScalarType | undefined): Json {
  if (type === 'boolean') return value === 'true'
  const number = Number(value)
  return isJsonNumber(type) && value.trim() !== '' && Number.isFinite(number) ? number : value
}
