/** The option `--where`, which all commands read in the same way. */
import { InvalidArgumentError } from 'commander'
import { type Conditions, compileWhere, SEARCH_SYNTAX } from '../client/query/compile-where.ts'
import { parseJson } from './service-options.ts'

/** One condition for each use of the option. An object must match all. */
export type Where = readonly Conditions[]

export const WHERE_HELP =
  'filter PROPERTY.OPERATOR=VALUE (operators: eq neq lt lte gt gte contains isNull), or a query as JSON, see oqs search; repeatable'

/** Accepts `runwayFeet.gt=100`, `properties.runwayFeet.gt=100` as over HTTP, and `{"type": …}`. */
export function addWhere(text: string, where: Where = []): Where {
  if (text.trimStart().startsWith('{')) return [{ $query: parseJson(text) }, ...where]
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).replace(/^(?:properties|p)\./, '')
  const dot = name.lastIndexOf('.')
  if (equals < 1 || dot < 0) {
    throw new InvalidArgumentError('It must be PROPERTY.OPERATOR=VALUE, or a query as JSON.')
  }
  const operator = name.slice(dot + 1)
  const value = text.slice(equals + 1)
  const operand = operator === 'isNull' ? readBoolean(value) : value
  return [...where, { [name.slice(0, dot)]: { [operator]: operand } }]
}

/** Several conditions with one of these operators on one property match any of the values. */
const ANY = ['eq', 'contains']

/** Returns the conditions with those that match any of several values combined. */
export function combineWhere(where: Where = []): readonly Conditions[] {
  const groups = Map.groupBy(where, (condition) => {
    const [[name, operators] = []] = Object.entries(condition)
    const operator = ANY.find((any) => any in (operators as object))
    return operator === undefined ? condition : `${name}.${operator}`
  })
  return [...groups.values()].map((group) => (group.length === 1 ? group[0] : { $or: group }) ?? {})
}

/** Returns the query of revision 1.0 that means the same; undefined if nothing is given. */
export function toQuery(where?: Where): unknown {
  return compileWhere(combineWhere(where), SEARCH_SYNTAX)
}

/** The service rejects anything but a boolean, and says so. */
function readBoolean(text: string): boolean | string {
  return text === 'true' || (text === 'false' ? false : text)
}
