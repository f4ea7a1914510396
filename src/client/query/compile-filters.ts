/** Compiles conditions to the filters in the query string of an endpoint. */
import { type Conditions, missingValue, operatorsOf } from './compile-where.ts'

/** `properties.NAME.OPERATOR` → values. */
export type Filters = Readonly<Record<string, readonly string[]>>

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
