/** The request behind a view as a program with the client of this project. */

import { pageRequest } from '../data/page-request.ts'
import type { TypeView } from '../view/type-view.ts'
import type { ApiRevision, Filter } from '../view/view-state.ts'
import { type Json, pointProperty, scalarOf, textProperties, toJson } from '../view/where.ts'
import { jsText } from './js-text.ts'

type Condition = { readonly [name: string]: Json }

/** Returns a program. Throws `NotExpressible` if the API cannot express the view. */
export function toClientCode(of: TypeView, revision: ApiRevision, origin: string): string {
  // The request of the same view says what cannot be expressed.
  pageRequest(of, revision, { pageSize: 1 })
  const { ontology, objectType, view } = of
  const name = jsText(objectType.apiName)
  const sources: Readonly<Record<ApiRevision, string>> = {
    '1': `.objects(${name})`,
    '2': `.family(${jsText(ontology.families?.[0] ?? '')})\n  .objects(${name})`,
    v2: `.objectSet(${name})`,
  }
  const calls = [
    sources[revision],
    ...conditionsOf(of, revision).map((condition) => `.where(${jsText(condition)})`),
    ...view.order.map(
      ({ property, direction }) => `.orderBy(${jsText(property)}, ${jsText(direction)})`,
    ),
    ...(view.isSnapshot ? ['.snapshot()'] : []),
  ]
  return `import { env } from 'node:process'
import { createClient } from 'object-query-service/client'

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

/** Returns one condition for all filters, and further ones where names would repeat. */
function conditionsOf({ objectType, view }: TypeView, revision: ApiRevision): readonly Condition[] {
  const conditions = view.filters.map((filter): Condition => {
    const [property = '', field] = filter.field.split('/')
    const name = field === undefined ? property : `${property}:${field}`
    return { [name]: operatorsOf(filter, toJson(filter.value, scalarOf(objectType, filter.field))) }
  })
  if (view.text !== '') {
    conditions.push(
      revision === '2'
        ? { $keyword: view.text }
        : { $or: textProperties(objectType).map((name) => ({ [name]: { allTerms: view.text } })) },
    )
  }
  if (view.box !== undefined) {
    const [west, south, east, north] = view.box
    const ring = [west, south, east, south, east, north, west, north, west, south]
    const point = (...coordinates: readonly number[]): Json => ({ type: 'Point', coordinates })
    conditions.push(
      revision === '2'
        ? { $within: [0, 2, 4, 6, 8].map((at) => ring.slice(at, at + 2)) }
        : {
            [pointProperty(objectType) ?? '']: {
              withinBoundingBox: { topLeft: point(west, north), bottomRight: point(east, south) },
            },
          },
    )
  }
  return merged(conditions)
}

const OPERATORS = { words: 'allTerms', phrase: 'phrase', prefix: 'prefix' } as const

function operatorsOf({ operator, value }: Filter, json: Json): Json {
  switch (operator) {
    case 'eq':
      return json
    case 'empty':
    case 'filled':
      return { isNull: operator === 'empty' }
    case 'words':
    case 'phrase':
    case 'prefix':
      return { [OPERATORS[operator]]: value }
    default:
      return { [operator]: json }
  }
}

function merged(conditions: readonly Condition[]): readonly Condition[] {
  const result: Condition[] = []
  for (const condition of conditions) {
    const last = result.at(-1)
    const isFree = last !== undefined && Object.keys(condition).every((name) => !(name in last))
    if (isFree) result[result.length - 1] = { ...last, ...condition }
    else result.push(condition)
  }
  return result
}
