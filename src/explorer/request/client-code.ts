/** The request behind a view as a program with the client of this project. */
import { Identifiers, literal, memberName } from '../../contract/typescript-names.ts'
import type { ObjectTypeDefinition, ScalarType } from '../api/ontology.ts'
import { conditionsOf, type Json, type JsonConditions } from '../view/compile-filters.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
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

/** The operators of conditions, as `@osdk/client` names them. */
const OPERATORS: Readonly<Record<string, string>> = {
  eq: '$eq',
  neq: '$ne',
  lt: '$lt',
  lte: '$lte',
  gt: '$gt',
  gte: '$gte',
  in: '$in',
  isNull: '$isNull',
  allTerms: '$containsAllTerms',
  phrase: '$containsAllTermsInOrder',
  prefix: '$startsWith',
  contains: '$contains',
  withinBoundingBox: '$within',
  intersectsBoundingBox: '$intersects',
  regex: '$matchesRegex',
}

/** Returns a program. Throws `NotExpressible` if the package cannot express the view. */
export function toOsdkCode(of: TypeView, origin: string): string {
  const { ontology, objectType, view } = of
  const name = constantOf(ontology.objectTypes, objectType)
  const clauses = conditionsOf(view, of).map((each) => clauseOf(each, objectType))
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

function clauseOf(condition: JsonConditions, type: ObjectTypeDefinition): Clause {
  const clauses = Object.entries(condition).map(([name, value]): Clause => {
    if (name === '$query') throw new NotExpressible('a filter across a link')
    if (name === '$not') return { $not: clauseOf(value as JsonConditions, type) }
    if (name !== '$and' && name !== '$or') return propertyClause(name, value, type)
    return { [name]: (value as readonly JsonConditions[]).map((each) => clauseOf(each, type)) }
  })
  const [first = {}, ...others] = clauses
  return others.length === 0 ? first : { $and: clauses }
}

function propertyClause(name: string, value: Json, type: ObjectTypeDefinition): Clause {
  const [property = '', field] = name.split(':')
  const [[operator, operand] = ['eq', value]] = isClause(value) ? Object.entries(value) : []
  const isArray = type.properties[property]?.type === 'array'
  if (isArray && operator !== 'isNull' && (field !== undefined || operator !== 'contains')) {
    throw new NotExpressible('this condition on elements of a list')
  }
  const scalar = scalarOf(type, name.replace(':', '/'))
  if (scalar === 'short' && operator !== 'isNull') {
    throw new NotExpressible('conditions on a short number')
  }
  const clause = { [OPERATORS[operator] ?? operator]: valueIn(scalar, operand) }
  return { [property]: field === undefined ? clause : { [field]: clause } }
}

function isClause(value: Json): value is Clause {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The package takes numbers for long and decimal, so large ones cannot be written exactly. */
function valueIn(scalar: ScalarType | undefined, value: Json): Json {
  if (Array.isArray(value)) return value.map((each: Json) => valueIn(scalar, each))
  if (isClause(value)) return { $bbox: edgesOf(value) }
  if (typeof value !== 'string' || (scalar !== 'long' && scalar !== 'decimal')) return value
  const number = Number(value)
  if (String(number) !== value) throw new NotExpressible(`the number ${value} exactly`)
  return number
}

/** Returns west, south, east and north of a box, which conditions give by two corners. */
function edgesOf(box: Clause): readonly Json[] {
  const [[west, north] = [], [east, south] = []] = [box['topLeft'], box['bottomRight']].map(
    (corner) => (corner as { readonly coordinates: readonly number[] }).coordinates,
  )
  return [west ?? 0, south ?? 0, east ?? 0, north ?? 0]
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
