/** The request behind a view as a program with the client of this project. */
import { Identifiers, literal, memberName } from '../../contract/typescript-names.ts'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { conditionsOf, type Json, type JsonConditions, toJson } from '../view/compile-filters.ts'
import { fieldAt } from '../view/field-at.ts'
import { alternativesOf, boundsOf, type Condition, type Filter, valuesOf } from '../view/filters.ts'
import { termsOf } from '../view/search-text.ts'
import { pointProperty, scalarOf, type TypeView, textProperties } from '../view/type-view.ts'
import { NotExpressible } from './request-text.ts'

export function toClientCode(of: TypeView, origin: string): string {
  const { ontology, objectType, view } = of
  const calls = [
    `.objectSet(${jsText(objectType.apiName)})`,
    ...mergeConditions(conditionsOf(view, of)).map((condition) => `.where(${jsText(condition)})`),
    ...view.order.map(
      ({ property, direction }) => `.orderBy(${jsText(property)}, ${jsText(direction)})`,
    ),
    ...(view.isSnapshot ? ['.snapshot()'] : []),
  ]
  return `import { env } from 'node:process'
import { createClient } from '@object-query-service/client'

const client = createClient({
  baseUrl: ${jsText(origin)},
  ontology: ${jsText(ontology.apiName)},
  token: env['OQS_TOKEN'] ?? '',
})

const objects = client
${calls.map((call) => `  ${call}`).join('\n')}

for await (const object of objects) console.log(object)
`
}

/** Merges conditions into one, with further ones where names would repeat. */
function mergeConditions(conditions: readonly JsonConditions[]): readonly JsonConditions[] {
  const result: JsonConditions[] = []
  for (const condition of conditions) {
    const last = result.at(-1)
    const isFree = last !== undefined && Object.keys(condition).every((name) => !(name in last))
    if (isFree) result[result.length - 1] = { ...last, ...condition }
    else result.push(condition)
  }
  return result
}

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
} as const

/** Returns a program. Throws `NotExpressible` if the package cannot express the view. */
export function toOsdkCode(of: TypeView, origin: string): string {
  const { ontology, objectType, view } = of
  const name = constantOf(ontology.objectTypes, objectType)
  const clauses = [
    ...view.filters.map((filter) => clauseOf(filter, of)),
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
  // Those before it take their names first.
  const identifiers = new Identifiers([])
  for (const { apiName } of named) {
    const name = identifiers.constantName(apiName)
    if (apiName === type.apiName) return name
  }
  throw new NotExpressible('an object type with this kind of key')
}

const KEY_TYPES = ['string', 'date', 'double', 'integer', 'timestamp', 'short', 'long', 'byte']

function clauseOf(filter: Filter, of: TypeView): Clause {
  const clauses = alternativesOf(filter).map((condition) => conditionClause(condition, of))
  const [first = {}, ...others] = clauses
  return others.length === 0 ? first : { $or: clauses }
}

function conditionClause(condition: Condition, of: TypeView): Clause {
  const { operator, field: path } = condition
  if (fieldAt(of, path)?.links.length) throw new NotExpressible('a filter across a link')
  if (operator === 'between')
    return { $and: boundsOf(condition).map((one) => conditionClause(one, of)) }
  const [property = '', field] = path.split('/')
  const isArray = of.objectType.properties[property]?.type === 'array'
  const isPresence = operator === 'empty' || operator === 'filled'
  if (isArray && !isPresence && (field !== undefined || operator !== 'contains')) {
    throw new NotExpressible('this condition on elements of a list')
  }
  if (!isArray && operator === 'contains') throw new NotExpressible('a part of a word')
  const values = valuesOf(condition).map((value) => valueIn(path, value, of.objectType))
  const operand = isPresence
    ? { $isNull: operator === 'empty' }
    : operator === 'in' || operator === 'notIn'
      ? { $in: values }
      : { [OPERATORS[operator]]: values[0] ?? '' }
  const clause = { [property]: field === undefined ? operand : { [field]: operand } }
  return operator === 'notIn' ? { $not: clause } : clause
}

/** The package takes numbers for long and decimal, so large ones cannot be written exactly. */
function valueIn(field: string, value: string, type: ObjectTypeDefinition): Json {
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
  const clauses = names.map((name): Clause => {
    const terms = termsOf(text).map(({ kind, text: term }) => {
      if (kind === 'inside') throw new NotExpressible('a part of a word')
      return { [name]: { [OPERATORS[kind]]: term } }
    })
    return terms.length === 1 ? (terms[0] ?? {}) : { $and: terms }
  })
  return { $or: clauses }
}

/** Returns a value as a person would write it: single quotes, and names without them. */
function jsText(value: Json): string {
  if (typeof value === 'string') return literal(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(jsText).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${memberName(name)}: ${jsText(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
