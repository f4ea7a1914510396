/** Compiles conditions to the queries of each endpoint. */

/** A query as an endpoint takes it. */
export type WireQuery = Readonly<Record<string, unknown>>

/**
 * Conditions as the compiler sees them; the types of the builder have checked them. `$query` holds a
 * query as the endpoint takes it.
 */
export type Conditions = Readonly<Record<string, unknown>>

/** How an endpoint writes fields and operators. */
export interface WhereSyntax {
  /** Returns the member that names a property, or a struct field written `PROPERTY:FIELD:FIELD`. */
  readonly field: (name: string) => WireQuery
  /** Operators that have another name on the wire. */
  readonly renamed: Readonly<Record<string, string>>
  /** Whether a list of values is one condition; otherwise it is an `or` of comparisons. */
  readonly hasIn: boolean
}

export const SEARCH_SYNTAX: WhereSyntax = {
  field: (name) => ({ field: `properties.${name.replaceAll(':', '.')}` }),
  renamed: {},
  hasIn: false,
}

export const FAMILY_SYNTAX: WhereSyntax = {
  field: (name) => ({ field: name }),
  renamed: { contains: 'eq' },
  hasIn: false,
}

export const OBJECT_SET_SYNTAX: WhereSyntax = {
  field: (name) => {
    const [propertyApiName, ...fields] = name.split(':')
    if (fields.length === 0) return { field: name }
    const structFieldApiName = fields.join('.')
    return { propertyIdentifier: { type: 'structField', propertyApiName, structFieldApiName } }
  },
  renamed: {
    anyTerm: 'containsAnyTerm',
    allTerms: 'containsAllTerms',
    phrase: 'containsAllTermsInOrder',
    prefix: 'containsAllTermsInOrderPrefixLastTerm',
  },
  hasIn: true,
}

/** Returns the query for conditions that must all hold; undefined if there are none. */
export function compileWhere(
  conditions: readonly Conditions[],
  syntax: WhereSyntax,
): WireQuery | undefined {
  const queries = conditions.flatMap((condition) => compileParts(condition, syntax))
  return queries.length > 1 ? { type: 'and', value: queries } : queries[0]
}

/** Returns a list that `and` combines, so that nested ands cost no depth. */
function compileParts(condition: Conditions, syntax: WhereSyntax): WireQuery[] {
  return Object.entries(condition).flatMap(([name, value]): WireQuery[] => {
    if (value === undefined || value === null) throw missingValue(name)
    switch (name) {
      case '$and':
        return (value as Conditions[]).flatMap((one) => compileParts(one, syntax))
      case '$or':
        return [{ type: 'or', value: (value as Conditions[]).map((one) => whole(one, syntax)) }]
      case '$not':
        return [{ type: 'not', value: whole(value as Conditions, syntax) }]
      case '$query':
        return [value as WireQuery]
      case '$keyword':
        return [{ type: 'keyword', query: value }]
      case '$within':
        return [{ type: 'geoPointWithin', polygon: (value as number[][]).map(toPosition) }]
      default:
        return compileProperty(name, value, syntax)
    }
  })
}

/** The service rejects an `and` without conditions, as it would match everything. */
function whole(condition: Conditions, syntax: WhereSyntax): WireQuery {
  return compileWhere([condition], syntax) ?? { type: 'and', value: [] }
}

function toPosition([longitude, latitude]: readonly number[]): object {
  return { longitude, latitude }
}

function compileProperty(name: string, value: unknown, syntax: WhereSyntax): WireQuery[] {
  const field = syntax.field(name)
  return operatorsOf(value).map(([operator, operand]) => {
    if (operand === undefined || operand === null) throw missingValue(`${name}.${operator}`)
    const type = syntax.renamed[operator] ?? operator
    switch (operator) {
      case 'neq':
        return { type: 'not', value: { type: 'eq', ...field, value: operand } }
      case 'in':
        if (syntax.hasIn) return { type, ...field, value: operand }
        return {
          type: 'or',
          value: (operand as unknown[]).map((one) => ({ type: 'eq', ...field, value: one })),
        }
      case 'anyTerm':
      case 'allTerms':
        return typeof operand === 'string'
          ? { type, ...field, value: operand }
          : { type, ...field, ...(operand as object) }
      case 'relativeDateRange':
        return { type, ...field, ...(operand as object) }
      case 'interval':
        return { type, ...field, rule: operand }
      default:
        return { type, ...field, value: operand }
    }
  })
}

/** A value alone means that the property equals it. */
function operatorsOf(value: unknown): [operator: string, operand: unknown][] {
  if (typeof value !== 'object' || value instanceof Date) return [['eq', value]]
  if (Array.isArray(value)) {
    throw new TypeError('a condition cannot be a list; use {in: […]} or {contains: …}')
  }
  return Object.entries(value as object)
}

/** A missing value would silently match every object. */
function missingValue(name: string): TypeError {
  return new TypeError(`the condition on ${name} has no value; use {isNull: true} to find nulls`)
}

/** `properties.NAME.OPERATOR` → values. */
type Filters = Readonly<Record<string, readonly string[]>>

export function compileFilters(conditions: readonly Conditions[]): Filters {
  const filters: Record<string, string[]> = {}
  for (const [name, value] of conditions.flatMap(Object.entries)) {
    if (name.startsWith('$')) throw new TypeError(`linked objects cannot be filtered with ${name}`)
    if (value === undefined || value === null) throw missingValue(name)
    for (const [operator, operand] of operatorsOf(value)) {
      if (operand === undefined || operand === null) throw missingValue(`${name}.${operator}`)
      const parameter = `properties.${name}.${operator === 'in' ? 'eq' : operator}`
      // Several values of one filter mean any of them, which two conditions do not.
      if (filters[parameter] !== undefined && operator !== 'neq') {
        throw new TypeError(`linked objects cannot be filtered twice with ${parameter}`)
      }
      filters[parameter] = [...(filters[parameter] ?? []), ...[operand].flat().map(textOf)]
    }
  }
  return filters
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
