/** PostgreSQL databases of the release before tables had layouts. */
import { runSql } from './postgres.ts'

/**
 * Creates the tables of types without objects as earlier releases did. Must be called after the types
 * are defined.
 */
export async function createEarlierTables(url: string): Promise<void> {
  const tables = await runSql(
    url,
    `SELECT id, object_type_id FROM oqs_object_table WHERE NOT is_made AND state = 'published'`,
  )
  for (const { id, object_type_id: typeId } of tables) {
    const fields = await runSql(
      url,
      `SELECT number, value_type, element_type FROM oqs_object_field
       WHERE object_type_id = ${typeId} ORDER BY number`,
    )
    await runSql(url, statementsOf(`oqs_object_${id}`, fields))
    await runSql(url, `UPDATE oqs_object_table SET is_made = TRUE, layout = 1 WHERE id = ${id}`)
  }
}

const OPEN = '9007199254740991'

function statementsOf(table: string, fields: readonly Record<string, unknown>[]): string[] {
  const values = fields.filter((field) => field['value_type'] !== null)
  const elements = fields.filter((field) => field['element_type'] !== null)
  const collation = (type: unknown) => (type === 'text' ? ' COLLATE "C"' : '')
  const columns = [
    ...values.map(({ number, value_type: type }) => `, p${number} ${type}${collation(type)}`),
    ...elements.map(({ number, element_type: type }) => `, e${number} ${type}[]${collation(type)}`),
  ]
  return [
    `CREATE TABLE ${table} (
       pk text COLLATE "C" NOT NULL, valid_from bigint NOT NULL,
       valid_to bigint NOT NULL DEFAULT ${OPEN}, object_id text NOT NULL, key text NOT NULL,
       title text, body text NOT NULL, words text, lexemes tsvector, places double precision[],
       area box, checksum integer${columns.join('')}, PRIMARY KEY (pk, valid_from))`,
    `CREATE UNIQUE INDEX ${table}_current ON ${table} (pk) WHERE valid_to = ${OPEN}`,
    `CREATE INDEX ${table}_written ON ${table} (valid_from)`,
    `CREATE INDEX ${table}_closed ON ${table} (valid_to) WHERE valid_to < ${OPEN}`,
    `CREATE INDEX ${table}_object_id ON ${table} (object_id)`,
    `CREATE INDEX ${table}_lexemes ON ${table} USING gin (lexemes)`,
    `CREATE INDEX ${table}_long ON ${table} (pk) WHERE words IS NOT NULL AND lexemes IS NULL`,
    `CREATE INDEX ${table}_area ON ${table} USING gist (area) WHERE area IS NOT NULL`,
    ...values.map(({ number }) => `CREATE INDEX ${table}_p${number} ON ${table} (p${number}, pk)`),
    ...elements.map(
      ({ number }) => `CREATE INDEX ${table}_e${number} ON ${table} USING gin (e${number})`,
    ),
  ]
}

/** Reverts the migrations that added layouts. All tables must be earlier ones. */
export const BEFORE_LAYOUTS = [
  'DROP TABLE oqs_ontology_summary',
  'DROP INDEX oqs_ontology_family_of_ontology',
  'DROP TABLE oqs_audit_record',
  'DROP FUNCTION oqs_refuse_audit_change()',
  'DROP FUNCTION oqs_count_policy_change() CASCADE',
  'ALTER TABLE oqs_api_token DROP COLUMN policies',
  'DROP TABLE oqs_definition_change, oqs_table_field, oqs_converted_key',
  'DROP TABLE oqs_rewrite_key, oqs_rewrite',
  'ALTER TABLE oqs_object_table DROP COLUMN layout, DROP COLUMN prefix_fields',
  'ALTER TABLE oqs_object_table DROP COLUMN publish_mode',
  'ALTER TABLE oqs_commit_log DROP COLUMN kept',
  'ALTER TABLE oqs_object_table DROP CONSTRAINT oqs_object_table_state_check',
  `ALTER TABLE oqs_object_table ADD CONSTRAINT oqs_object_table_state_check
     CHECK (state IN ('loading', 'published', 'abandoned'))`,
  'DROP FUNCTION oqs_texts(tsvector, text)',
  'DELETE FROM oqs_migration WHERE number >= 9',
]
