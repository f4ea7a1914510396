import { DatabaseSync } from 'node:sqlite'
import { runSql } from './postgres.ts'

/**
 * Marks the tables of types without objects as tables of an older layout, so that they are rewritten
 * in the background. Must be called after the types are defined and before they have objects.
 */
export async function useOutdatedLayout(store: string): Promise<void> {
  const mark = (isMissing: string) => `UPDATE oqs_object_table SET layout = 0 WHERE ${isMissing}`
  if (store.startsWith('postgres')) {
    await runSql(store, mark('NOT is_created'))
    return
  }
  using db = new DatabaseSync(store.replace(/^sqlite:/, ''))
  db.exec(mark('is_created = 0'))
}
