/** Parses the order of a walk, in both spellings, and checks it against the object type. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { ORDER_MAX_TERMS } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { fieldKey } from '../../ontology/values/searchable-values.ts'
import type { Field, OrderTerm } from '../query.ts'
import {
  definedField,
  FIELD_MAX_LENGTH,
  findField,
  isEquatable,
  type ResolvedField,
  resolveField,
} from '../resolve-field.ts'

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
  const fields = terms.map((term) => resolveWritten(objectType, term))
  const written = (isWanted: (field: ResolvedField | undefined, index: number) => boolean) =>
    terms.filter((_, index) => isWanted(fields[index], index)).map(({ property }) => property)
  const unknown = written((field) => field === undefined)
  if (unknown.length > 0) {
    throw new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: unknown,
    })
  }
  const keys = fields.map((resolved) => resolved && fieldKey(resolved.field))
  const repeated = written((_, index) => keys.indexOf(keys[index]) !== index)
  if (repeated.length > 0) throw new ObjectQueryError('DuplicateOrderBy', { properties: repeated })
  const unsortable = written(
    (field) => field === undefined || field.isMultiValued || !isEquatable(field),
  )
  if (unsortable.length > 0) {
    throw new ObjectQueryError('PropertiesNotSortable', { properties: unsortable })
  }
  return terms.map((term, index) => toOrderTerm(term, fields[index]?.field))
}

/** Returns the position of nulls as lists write it. Anything unknown is refused with the term. */
export function readNulls(written: string | null | undefined): string {
  return { first: 'nullsFirst', last: 'nullsLast' }[written ?? 'last'] ?? String(written)
}

/** A field of a struct is written with periods between the names. */
function resolveWritten(
  objectType: ObjectType,
  { property: written }: WrittenTerm,
): ResolvedField | undefined {
  const field = written.length > FIELD_MAX_LENGTH ? undefined : findField(objectType, written)
  return field && resolveField(objectType, field.property, field.structField)
}

function toOrderTerm(
  { property, direction, nulls }: WrittenTerm,
  field: Field = { property, structField: undefined },
): OrderTerm {
  if (direction !== 'asc' && direction !== 'desc') {
    throw new ObjectQueryError('InvalidSortOrder', { invalidSortOrder: direction })
  }
  if (nulls !== 'nullsFirst' && nulls !== 'nullsLast') {
    throw new ObjectQueryError('InvalidSortOrder', { invalidSortOrder: nulls })
  }
  return { ...definedField(field), direction, nulls: nulls === 'nullsFirst' ? 'first' : 'last' }
}
