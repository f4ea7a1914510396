import { ObjectQueryError } from '../contract/errors.ts'
import { ORDER_MAX_TERMS } from '../contract/limits.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isEquatable, resolveField } from './fields.ts'
import type { OrderTerm } from './query.ts'

/** The order of a listing, in its two spellings, checked against the object type. */

/** One term of an order as it was written. */
export interface WrittenTerm {
  readonly property: string
  readonly direction: string
  readonly nulls: string
}

/** `orderBy=properties.x:desc,p.y`, with `:nullsFirst` or `:nullsLast` behind a direction. */
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

/** Checks an order: known and sortable properties, each once; `nulls` last unless said otherwise. */
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
    return resolved === undefined || resolved.many || !isEquatable(resolved)
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
