/** The index of object ids, which holds only their first characters. */
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'

/** An entry of seven characters takes 20 bytes, one more 28. Few objects have the same seven. */
const INDEXED_LENGTH = 7

const indexedSql = (column: string) => `left(${column}, ${INDEXED_LENGTH}) COLLATE "C"`

/** What the index holds. */
export const OBJECT_ID_INDEX = `(${indexedSql('object_id')})`

/** Returns the condition that an object has one of the ids: the index finds few others. */
export function objectIdsSql(ids: readonly string[]): SqlCondition {
  const beginnings = new Set(ids.map((id) => id.slice(0, INDEXED_LENGTH)))
  return {
    sql: `(${indexedSql('o.object_id')} = ANY(?::text[]) AND o.object_id = ANY(?::text[]))`,
    values: [`{${[...beginnings].join()}}`, `{${ids.join()}}`],
  }
}
