/** Parses the order of a walk, in both spellings, and checks it against the object type. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { ORDER_MAX_TERMS } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { OrderTerm } from '../query.ts'
import { isEquatable, resolveField } from '../resolve-field.ts'

/** One term of an order, as the client wrote it. */
export interface WrittenTerm {
  readonly property: string
  readonly direction: string
  readonly nulls: string
}

/** Parses `properties.x:desc,p.y`; a direction can be followed by `:nullsFirst` or `:nullsLast`. */
export function parseOrderText(text: string): WrittenTerm[] {
  return text.split(',').map((term) => {
    const [name = '', direction = 'asc', nulls = 'nullsLast', ...rest] = term.trim().split(':')
    const match = /^(?:properties|p)\.(.+)$/.exec(name)
    if (match === null) {
      throw new ObjectQueryError('InvalidSortType', { invalidSortType: name })
    }
    if (rest.length > 0) {
      throw new ObjectQueryError('InvalidSortOrder', { invalidSortOrder: term.trim() })
    }
    return { property: match[1] ?? '', direction, nulls }
  })
}

/** Checks that the properties exist, are sortable and appear once. Nulls sort last by default. */
export function checkOrder(terms: readonly WrittenTerm[], objectType: ObjectType): OrderTerm[] {
  if (terms.length > ORDER_MAX_TERMS) {
    throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: ORDER_MAX_TERMS })
  }
  const names = terms.map((term) => term.property)
  const unknown = names.filter((name) => !objectType.properties.has(name))
  if (unknown.length > 0) {
    throw new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: unknown,
    })
  }
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  if (repeated.length > 0) throw new ObjectQueryError('DuplicateOrderBy', { properties: repeated })
  const unsortable = names.filter((name) => {
    const resolved = resolveField(objectType, name, undefined)
    return resolved === undefined || resolved.isMultiValued || !isEquatable(resolved)
  })
  if (unsortable.length > 0) {
    throw new ObjectQueryError('PropertiesNotSortable', { properties: unsortable })
  }
  return terms.map(toOrderTerm)
}

function toOrderTerm({ property, direction, nulls }: WrittenTerm): OrderTerm {
  if (direction !== 'asc' && direction !== 'desc') {
    throw new ObjectQueryError('InvalidSortOrder', { invalidSortOrder: direction })
  }
  if (nulls !== 'nullsFirst' && nulls !== 'nullsLast') {
    throw new ObjectQueryError('InvalidSortOrder', { invalidSortOrder: nulls })
  }
  return { property, direction, nulls: nulls === 'nullsFirst' ? 'first' : 'last' }
}
