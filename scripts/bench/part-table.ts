/** The objects as a table, with the index that a developer would add for the query. */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { type PartProperties, partBatches } from '../measure/parts.ts'

export const TABLE = 'part'

/** Columns with their types in PostgreSQL; SQLite accepts the same names. */
const TYPES = {
  partNumber: 'text PRIMARY KEY',
  name: 'text NOT NULL',
  category: 'text NOT NULL',
  revision: 'integer NOT NULL',
  weight: 'double precision NOT NULL',
  changedAt: 'timestamptz NOT NULL',
  notes: 'text NOT NULL',
} as const satisfies Readonly<Record<keyof PartProperties, string>>

export const COLUMNS = Object.keys(TYPES) as readonly (keyof PartProperties)[]

const INDEX = `CREATE INDEX part_category ON ${TABLE} ("category", "partNumber")`

function createTable(types: Readonly<Record<string, string>>): string {
  const columns = Object.entries(types).map(([name, type]) => `"${name}" ${type}`)
  return `CREATE TABLE ${TABLE} (${columns.join(', ')})`
}

export async function fillPostgres(url: string, objects: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(createTable({ ...TYPES, partNumber: 'text COLLATE "C" PRIMARY KEY' }))
    const insert = `INSERT INTO ${TABLE} SELECT * FROM json_populate_recordset(NULL::${TABLE}, $1)`
    for (const batch of partBatches(objects)) await client.query(insert, [JSON.stringify(batch)])
    await client.query(INDEX)
    await client.query(`VACUUM (ANALYZE) ${TABLE}`)
  } finally {
    await client.end()
  }
}

export function fillSqlite(file: string, objects: number): void {
  using db = new DatabaseSync(file)
  db.exec(createTable(TYPES))
  const values = COLUMNS.map((column) => `value->>'${column}'`)
  const insert = db.prepare(`INSERT INTO ${TABLE} SELECT ${values.join(', ')} FROM json_each(?)`)
  for (const batch of partBatches(objects)) insert.run(JSON.stringify(batch))
  db.exec(`${INDEX}; ANALYZE`)
}
