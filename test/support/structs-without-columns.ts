import { DatabaseSync } from 'node:sqlite'

/**
 * Makes SQLite store the fields of structs like the elements of arrays, as it does once a store has
 * many of them. Does nothing on PostgreSQL, which has no such limit. Must be called after the types
 * are defined and before they have objects.
 */
export function storeStructsLikeArrays(store: string): void {
  if (store.startsWith('postgres')) return
  using db = new DatabaseSync(store.replace(/^sqlite:/, ''))
  db.exec(
    `UPDATE oqs_object_field SET struct_field = substr(struct_field, 2)
     WHERE struct_field LIKE ':%' AND object_type_id IN
       (SELECT object_type_id FROM oqs_object_table WHERE is_created = 0)`,
  )
}
