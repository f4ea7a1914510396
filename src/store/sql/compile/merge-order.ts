/** The order of a page that merges several object types, in SQL. */
import type { SetCursor, SetOrderTerm } from '../../port/pages.ts'
import type { FieldNumbers } from './field-numbers.ts'
import type { KeysetCursor, OrderColumn } from './order-sql.ts'
import { plainProperty } from './property-sql.ts'
import type { SqlValue } from './sql-condition.ts'

/** Returns the order columns of one part. A part without the property has only nulls. */
export function partColumns(
  order: readonly SetOrderTerm[],
  part: number,
  numbers: FieldNumbers,
  nullOf: (term: SetOrderTerm) => string,
): OrderColumn[] {
  return order.map((term) => {
    const property = term.properties[part]
    const column =
      property === undefined
        ? plainProperty(nullOf(term))
        : numbers.propertySql(property, term.structField)
    return { property: property ?? '', direction: term.direction, nulls: term.nulls, ...column }
  })
}

/** Selects what rows are merged by, besides the key. */
export function mergedColumns(columns: readonly OrderColumn[]): string {
  return columns.map(({ value }, index) => `${value} AS v${index}`).join(', ')
}

/** Returns the order of merged rows, with the columns of `mergedColumns`, `part` and `pk`. */
export function mergedOrder(order: readonly SetOrderTerm[]): string {
  const terms = order.map(({ direction, nulls }, index) => `v${index} ${direction} NULLS ${nulls}`)
  return [...terms, 'part', `pk ${order.at(-1)?.direction ?? 'asc'}`].join(', ')
}

/** Returns the cursor as a part sees it, whose rows may come before or after it in a tie. */
export function cursorOfPart(
  { part: cursorPart, pk }: SetCursor,
  values: readonly (SqlValue | null)[],
  part: number,
): KeysetCursor {
  const ties = part === cursorPart ? 'byKey' : part < cursorPart ? 'none' : 'all'
  return { pk, values, ties }
}

/** Counts the records that fit into the budget, and at least one, however large it is [2.1.3]. */
export function countFittingSizes(sizes: readonly number[], maxBytes: number): number {
  let bytes = 0
  const fitting = sizes.findIndex((size) => {
    bytes += size
    return bytes > maxBytes
  })
  return fitting === -1 ? sizes.length : Math.max(1, fitting)
}
