/** The objects as a table, with the index that a developer would add for the query. */
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { makePart, type PartProperties } from '../../measure/parts.ts'

export const TABLE = 'part'

/** Columns with their types in PostgreSQL; SQLite accepts the same names. */
const TYPES = {
  partNumber: 'text COLLATE "C" PRIMARY KEY',
  name: 'text NOT NULL',
  category: 'text NOT NULL',
  revision: 'integer NOT NULL',
  weight: 'double precision NOT NULL',
  changedAt: 'timestamptz NOT NULL',
  notes: 'text NOT NULL',
} as const satisfies Readonly<Record<keyof PartProperties, string>>

export const COLUMNS = Object.keys(TYPES) as readonly (keyof PartProperties)[]
const QUOTED = COLUMNS.map((column) => `"${column}"`).join(', ')

const CATEGORY_INDEX = `CREATE INDEX part_category ON ${TABLE} ("category", "partNumber")`

const columnsSql = (types: Readonly<Record<string, string>>) =>
  Object.entries(types)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', ')

export async function fillPostgres(url: string, objects: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`CREATE TABLE ${TABLE} (${columnsSql(TYPES)})`)
    const copy = client.query(copyFrom(`COPY ${TABLE} (${QUOTED}) FROM STDIN`))
    await pipeline(Readable.from(copyLines(objects)), copy)
    await client.query(CATEGORY_INDEX)
    await client.query(`VACUUM (ANALYZE) ${TABLE}`)
  } finally {
    await client.end()
  }
}

export function createSqlite(file: string, objects: number): void {
  using db = new DatabaseSync(file)
  db.exec(`CREATE TABLE ${TABLE} (${columnsSql({ ...TYPES, partNumber: 'text PRIMARY KEY' })})`)
  insertParts(db, objects)
  db.exec(`${CATEGORY_INDEX}; ANALYZE`)
}

function insertParts(db: DatabaseSync, objects: number): void {
  const insert = db.prepare(
    `INSERT INTO ${TABLE} (${QUOTED}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
  )
  db.exec('BEGIN')
  for (const row of rows(objects)) insert.run(...row)
  db.exec('COMMIT')
}

/** No value contains a tab, a line end or a backslash. */
function* copyLines(objects: number): Generator<string> {
  for (const row of rows(objects)) yield `${row.join('\t')}\n`
}

function* rows(objects: number): Generator<(string | number)[]> {
  for (let number = 0; number < objects; number++) {
    const part = makePart(number, 0)
    yield COLUMNS.map((column) => part[column])
  }
}
