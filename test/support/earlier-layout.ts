/** Stores of the release before tables had layouts. */
import { DatabaseSync } from 'node:sqlite'

/**
 * Makes the store create its tables as earlier releases did. Must be called after the types are
 * defined and before they have objects.
 */
export function useEarlierLayout(path: string): void {
  using db = new DatabaseSync(path)
  db.exec('UPDATE object_table SET layout = 1 WHERE is_made = 0')
}

/** Reverts the migrations since layouts were added. All tables must have the earlier one. */
export const BEFORE_LAYOUTS = `
  DROP TABLE staged_change;
  DROP TABLE staged_write;
  DROP TABLE ontology_summary;
  DROP INDEX ontology_family_of_ontology;
  ALTER TABLE ontology ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
  DROP TABLE audit_record;
  ALTER TABLE api_token DROP COLUMN policies;
  ALTER TABLE object_type DROP COLUMN redefined_table;
  ALTER TABLE object_type DROP COLUMN redefined_in;
  DROP TABLE definition_change;
  DROP TABLE table_field;
  DROP TABLE converted_key;
  DROP TABLE rewrite_change;
  DROP TABLE rewrite;
  ALTER TABLE commit_log DROP COLUMN kept;
  ALTER TABLE object_table DROP COLUMN layout;
  ALTER TABLE object_table DROP COLUMN key_property;
  ALTER TABLE object_table DROP COLUMN long_texts;
  ALTER TABLE object_table DROP COLUMN integer_times;
  ALTER TABLE object_table DROP COLUMN indexed_at;
  ALTER TABLE object_table DROP COLUMN publish_mode;
  PRAGMA user_version = 7;
`

/**
 * Indexes timestamps as texts, as the release before integers did. For tables that have all their
 * indexes; does nothing on PostgreSQL, which has no other index. The table is a number, or all.
 */
export function indexTimesAsTexts(store: string, table = '*'): void {
  if (store.startsWith('postgres')) return
  using db = new DatabaseSync(store.replace(/^sqlite:/, ''))
  const indexes = db
    .prepare(`SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND name GLOB ?`)
    .all(`object_${table}_p*_time`)
  for (const { name, tbl_name: indexed } of indexes) {
    const [, column] = /_(p\d+)_time$/.exec(String(name)) ?? []
    if (column === undefined) continue
    db.exec(`DROP INDEX ${name}; CREATE INDEX ${indexed}_${column} ON ${indexed} (${column}, pk)`)
  }
  db.prepare(`UPDATE object_table SET integer_times = '[]' WHERE id GLOB ?`).run(table)
}

/** Makes one index of the object ids of a table, as the release before `indexed_at` did. */
export function indexIdsTogether(path: string, table: number): void {
  using db = new DatabaseSync(path)
  db.exec(`
    DROP INDEX object_${table}_object_id;
    DROP INDEX object_${table}_later_object_id;
    CREATE INDEX object_${table}_object_id
      ON object_${table} (unhex(substr(object_id, 1, 8)));
    UPDATE object_table SET indexed_at = NULL WHERE id = ${table};
  `)
}
