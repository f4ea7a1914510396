/** The option `--where`, which all commands read in the same way. */
import { InvalidArgumentError } from 'commander'
import { parseJson } from './service-options.ts'

/** Filters by their name in the HTTP API, and queries of revision 1.0. An object must match all. */
export interface Where {
  readonly filters: Readonly<Record<string, readonly string[]>>
  readonly queries: readonly unknown[]
}

export const WHERE_HELP =
  'filter PROPERTY.OPERATOR=VALUE (operators: eq neq lt lte gt gte contains isNull), or a query as JSON, see oqs search; repeatable'

const NOTHING: Where = { filters: {}, queries: [] }

/** Accepts `runwayFeet.gt=100`, `properties.runwayFeet.gt=100` as over HTTP, and `{"type": …}`. */
export function addWhere(text: string, where: Where = NOTHING): Where {
  if (text.trimStart().startsWith('{')) {
    return { ...where, queries: [...where.queries, parseJson(text)] }
  }
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).replace(/^(?:properties|p)\./, '')
  if (equals < 1 || !name.includes('.')) {
    throw new InvalidArgumentError('It must be PROPERTY.OPERATOR=VALUE, or a query as JSON.')
  }
  const parameter = `properties.${name}`
  const values = [...(where.filters[parameter] ?? []), text.slice(equals + 1)]
  return { ...where, filters: { ...where.filters, [parameter]: values } }
}

/** Returns the query of revision 1.0 that means the same; undefined if nothing is given. */
export function toQuery({ filters, queries }: Where = NOTHING): unknown {
  const all = [...queries, ...Object.entries(filters).flatMap(filterQueries)]
  return all.length > 1 ? { type: 'and', value: all } : all[0]
}

/** Several values of eq or contains match any; of neq, none. */
function filterQueries([name, values]: [string, readonly string[]]): unknown[] {
  const at = name.lastIndexOf('.')
  const [field, operator] = [name.slice(0, at), name.slice(at + 1)]
  const compare = (type: string) => values.map((value) => ({ type, field, value }))
  switch (operator) {
    case 'eq':
    case 'contains': {
      const any = compare(operator)
      return any.length > 1 ? [{ type: 'or', value: any }] : any
    }
    case 'neq':
      return compare('eq').map((value) => ({ type: 'not', value }))
    case 'isNull':
      return values.map((value) => ({ type: 'isNull', field, value: readBoolean(value) }))
    default:
      return compare(operator)
  }
}

/** The service rejects anything but a boolean, and says so. */
function readBoolean(text: string): boolean | string {
  return text === 'true' || (text === 'false' ? false : text)
}
