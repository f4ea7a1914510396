/** The request behind a view as a program with the client of this project. */

import { pageRequest } from '../queries/page-request.ts'
import { conditionsOf, type JsonConditions } from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { ApiRevision } from '../view/view-state.ts'
import { jsText } from './js-text.ts'

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
    ...mergeConditions(conditionsOf(view, objectType, revision)).map(
      (condition) => `.where(${jsText(condition)})`,
    ),
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
