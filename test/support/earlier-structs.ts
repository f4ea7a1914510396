import { DatabaseSync } from 'node:sqlite'
import { runSql } from './postgres.ts'

/**
 * Lets a store keep the fields of structs as earlier releases did: like the elements of arrays. Must
 * be called after the types are defined and before they have objects.
 */
export async function useEarlierStructs(store: string): Promise<void> {
  if (store.startsWith('postgres')) {
    await runSql(
      store,
      `UPDATE oqs_object_field SET element_type = value_type, value_type = NULL
       WHERE struct_field IS NOT NULL AND value_type IS NOT NULL AND object_type_id IN
         (SELECT object_type_id FROM oqs_object_table WHERE NOT is_made)`,
    )
    return
  }
  using db = new DatabaseSync(store.replace(/^sqlite:/, ''))
  db.exec(
    `UPDATE object_field SET struct_field = substr(struct_field, 2)
     WHERE struct_field LIKE ':%' AND object_type_id IN
       (SELECT object_type_id FROM object_table WHERE is_made = 0)`,
  )
}
