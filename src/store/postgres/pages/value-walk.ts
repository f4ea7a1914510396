/**
 * The rows with one value of a property, in key order, written as a range of the property's index:
 * from the value and the key of the cursor, up to the value. Only that index has the order of the
 * page, so the database needs no statistics, and one plan is right for every value. As an equality,
 * rare values would be searched for along the key. If the index holds only the first characters of
 * long texts, the range is that of the texts with the same beginning.
 */
import { toColumnValue } from '../../../query/compared-value.ts'
import type { Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { indexedValue } from '../../sql/compile/property-sql.ts'
import { isMultiValued } from '../../sql/compile/query-fields.ts'
import { combine, TRUE } from '../../sql/compile/sql-condition.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import { columnText } from '../catalogue/column-codec.ts'
import type { TypeFields } from '../queries/queried-types.ts'
import { HIDDEN_VALUES, visibleSql } from '../queries/queried-types.ts'
import type { PageRowsSpec } from './page-sql.ts'

export type Equality = Query & { readonly kind: 'compare' }

/** Returns the condition of a page whose rows are one range of an index; undefined if it is none. */
export function valueWalkOf(
  { query, order, objectType }: Pick<ReadPageRequest, 'query' | 'order' | 'objectType'>,
  fields: TypeFields | undefined,
): Equality | undefined {
  if (query.kind !== 'compare' || query.operator !== 'eq' || order.length > 0) return undefined
  if (fields === undefined || isMultiValued(objectType, query.field)) return undefined
  // One object has the key.
  return fields.numbers.find(query.field).isKey ? undefined : query
}

/** Selects the rows of a page. */
export function valueWalkRows(
  { field, value }: Equality,
  after: ReadPageRequest['after'],
  { visibility, version }: { readonly visibility: Visibility; readonly version: number },
  fields: TypeFields,
): PageRowsSpec {
  const { valueType = 'text' } = fields.numbers.find(field)
  const property = fields.numbers.propertySql(field.property)
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
  const { indexed } = property
  const { indexed: first, isDecided } = indexedValue(property, text)
  const range = {
    sql: `${indexed} <= ${hidden} AND (${indexed}, o.pk) > (${hidden}, ${HIDDEN_VALUES.text})`,
    values: [first, first, after?.pk ?? ''],
  }
  // Other texts have the same prefix. As an equality, the database would expect too few rows.
  const isEqual = isDecided
    ? TRUE
    : { sql: `CASE WHEN ${property.value} = ${hidden} THEN TRUE ELSE FALSE END`, values: [text] }
  return {
    where: combine('and', [isVisible, range, isEqual]),
    orderBy: `${indexed}, o.pk`,
    isKeyOrder: true,
  }
}
