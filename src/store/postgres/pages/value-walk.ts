/**
 * The rows with one value of a property, in key order, written as a range of the property's index:
 * from the value and the key of the cursor, up to the value. Only that index has the order of the
 * page, so the database needs no statistics, and one plan is right for every value. As an equality,
 * rare values would be searched for along the key.
 */
import { toColumnValue } from '../../../query/compared-value.ts'
import type { Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { columnOf } from '../../sql/field-numbers.ts'
import type { Visibility } from '../../sql/plan-rules.ts'
import { isMultiValued } from '../../sql/query-fields.ts'
import { combine } from '../../sql/sql-condition.ts'
import { columnText } from '../catalogue/column-codec.ts'
import type { TypeFields } from '../queries/type-fields.ts'
import { HIDDEN_VALUES, type PageRowsSpec, visibleSql } from './page-sql.ts'

export type Equality = Query & { readonly kind: 'compare' }

/** Returns the condition of a page whose rows are one range of an index; undefined if it is none. */
export function valueWalkOf(
  { query, order, objectType }: Pick<ReadPageRequest, 'query' | 'order' | 'objectType'>,
  fields: TypeFields | undefined,
): Equality | undefined {
  if (query.kind !== 'compare' || query.operator !== 'eq' || order.length > 0) return undefined
  if (fields === undefined || isMultiValued(objectType, query.field)) return undefined
  // The index of long texts has no order.
  return fields.columnsOf(query.field).hasLongText ? undefined : query
}

/** Selects the rows of a page. */
export function valueWalkRows(
  { field, value }: Equality,
  after: ReadPageRequest['after'],
  { visibility, version }: { readonly visibility: Visibility; readonly version: number },
  fields: TypeFields,
): PageRowsSpec {
  const { number, valueType = 'text' } = fields.columnsOf(field)
  const column = `o.${columnOf(number)}`
  const text = columnText(valueType, toColumnValue(value))
  const isVisible =
    visibility === 'current'
      ? visibleSql(visibility, version)
      : {
          // Not in the usual form, because no other index may match the conditions.
          sql: `(o.valid_from > ${HIDDEN_VALUES.number}) IS NOT TRUE
            AND (o.valid_to <= ${HIDDEN_VALUES.number}) IS NOT TRUE`,
          values: [version, version],
        }
  const hidden = `(SELECT ?::${valueType})`
  const range = {
    sql: `${column} <= ${hidden} AND (${column}, o.pk) > (${hidden}, ${HIDDEN_VALUES.text})`,
    values: [text, text, after?.pk ?? ''],
  }
  return {
    where: combine('and', [isVisible, range]),
    orderBy: `${column}, o.pk`,
    isKeyOrder: true,
  }
}
