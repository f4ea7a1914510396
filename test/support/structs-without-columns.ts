import { DatabaseSync } from 'node:sqlite'

/**
 * Makes SQLite keep the fields of structs in the body alone, as it does once a store has
 * many of them. Does nothing on PostgreSQL, which has no such limit. Must be called after the types
 * are defined and before they have objects.
 */
export function keepStructsInBodies(store: string): void {
  if (store.startsWith('postgres')) return
  using db = new DatabaseSync(store.replace(/^sqlite:/, ''), { timeout: 5000 })
  const { changes } = db
    .prepare(
      `UPDATE oqs_field_list SET struct_columns = 0, fields = (
         SELECT json_group_array(json(iif(value ->> 'structField' IS NULL, value,
           json_remove(value, '$.valueType')))) FROM json_each(fields)
       )
       WHERE struct_columns > 0 AND object_type_id IN
         (SELECT object_type_id FROM oqs_object_table WHERE is_created = 0)`,
    )
    .run()
  if (changes === 0) throw new Error('no struct field of a type without objects has a column')
}
