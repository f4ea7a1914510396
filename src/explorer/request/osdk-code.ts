/** The request behind a view as a program with `@osdk/client`. */

import type { ObjectTypeDefinition } from '../api/ontology.ts'
import {
  type Json,
  NotExpressible,
  pointProperty,
  scalarOf,
  textProperties,
  toJson,
} from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Filter } from '../view/view-state.ts'
import { constantNames, jsText } from './js-text.ts'

type Clause = { readonly [name: string]: Json }

const OPERATORS = {
  eq: '$eq',
  neq: '$ne',
  lt: '$lt',
  lte: '$lte',
  gt: '$gt',
  gte: '$gte',
  words: '$containsAllTerms',
  phrase: '$containsAllTermsInOrder',
  prefix: '$startsWith',
  contains: '$contains',
  empty: '$isNull',
  filled: '$isNull',
} as const

/** Returns a program. Throws `NotExpressible` if the package cannot express the view. */
export function toOsdkCode({ ontology, objectType, view }: TypeView, origin: string): string {
  const name = constantOf(ontology.objectTypes, objectType)
  const clauses = [
    ...view.filters.map((filter) => clauseOf(filter, objectType)),
    ...(view.text === '' ? [] : [textClause(view.text, objectType)]),
    ...(view.box === undefined
      ? []
      : [{ [pointProperty(objectType) ?? '']: { $within: { $bbox: [...view.box] } } }]),
  ]
  const [first] = clauses
  const where = clauses.length > 1 ? { $and: clauses } : first
  const order = Object.fromEntries(
    view.order.map(({ property, direction }) => [property, direction]),
  )
  const options: Clause = view.order.length === 0 ? {} : { $orderBy: order }
  const set = `client(${name})${where === undefined ? '' : `\n  .where(${jsText(where)})`}`
  // An iteration reads one snapshot; a page is the latest.
  const reading = view.isSnapshot
    ? `for await (const object of ${set}\n  .asyncIter(${jsText(options)})) console.log(object)`
    : `const page = await ${set}\n  .fetchPage(${jsText({ ...options, $pageSize: 1000 })})\nfor (const object of page.data) console.log(object)`
  return `// npx oqs ontology types --ontology ${ontology.apiName} --for osdk --out ontology.ts
import { env } from 'node:process'
import { createClient } from '@osdk/client'
import { $ontologyRid, ${name} } from './ontology.ts'

const client = createClient(${jsText(origin)}, $ontologyRid, async () => env['OQS_TOKEN'] ?? '')

${reading}
`
}

/** Types whose key is a boolean are not in the generated file. */
function constantOf(types: readonly ObjectTypeDefinition[], type: ObjectTypeDefinition): string {
  const named = types.filter(({ properties, primaryKey }) =>
    KEY_TYPES.includes(properties[primaryKey]?.type ?? ''),
  )
  const index = named.findIndex(({ apiName }) => apiName === type.apiName)
  const name = constantNames(named.map(({ apiName }) => apiName))[index]
  if (name === undefined) throw new NotExpressible('an object type with this kind of key')
  return name
}

const KEY_TYPES = ['string', 'date', 'double', 'integer', 'timestamp', 'short', 'long', 'byte']

function clauseOf(filter: Filter, type: ObjectTypeDefinition): Clause {
  const [property = '', field] = filter.field.split('/')
  const isArray = type.properties[property]?.type === 'array'
  const isPresence = filter.operator === 'empty' || filter.operator === 'filled'
  if (isArray && !isPresence && (field !== undefined || filter.operator !== 'contains')) {
    throw new NotExpressible('this condition on elements of a list')
  }
  const condition = { [OPERATORS[filter.operator]]: valueIn(filter, type) }
  return { [property]: field === undefined ? condition : { [field]: condition } }
}

/** The package takes numbers for long and decimal, so large ones cannot be written exactly. */
function valueIn({ field, operator, value }: Filter, type: ObjectTypeDefinition): Json {
  if (operator === 'empty' || operator === 'filled') return operator === 'empty'
  const scalar = scalarOf(type, field)
  if (scalar === 'short') throw new NotExpressible('conditions on a short number')
  if (scalar !== 'long' && scalar !== 'decimal') return toJson(value, scalar)
  const number = Number(value)
  if (String(number) !== value) throw new NotExpressible(`the number ${value} exactly`)
  return number
}

function textClause(text: string, type: ObjectTypeDefinition): Clause {
  const names = textProperties(type)
  if (names.some((name) => type.properties[name]?.type === 'array')) {
    throw new NotExpressible('a search in lists of texts')
  }
  return { $or: names.map((name) => ({ [name]: { $containsAllTerms: text } })) }
}
