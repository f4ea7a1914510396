import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { makePart, type PartProperties } from '../objects.ts'

/** The objects as a table, made as one would make it by hand for these questions. */

export const TABLE = 'part'
export const COLUMNS = [
  'partNumber',
  'name',
  'category',
  'revision',
  'weight',
  'changedAt',
  'notes',
] as const satisfies readonly (keyof PartProperties)[]

/** Answers the query in the order of the walk, page by page, from the index alone. */
export const CATEGORY_INDEX = `CREATE INDEX part_category ON ${TABLE} ("category", "partNumber")`

/** A new database that holds the table. */
export async function loadPostgresTable(server: string, objects: number): Promise<TestDatabase> {
  const database = await createDatabase(server)
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query(`CREATE TABLE ${TABLE} (
      "partNumber" text COLLATE "C" PRIMARY KEY, "name" text NOT NULL, "category" text NOT NULL,
      "revision" integer NOT NULL, "weight" double precision NOT NULL,
      "changedAt" timestamptz NOT NULL, "notes" text NOT NULL)`)
    const columns = COLUMNS.map((column) => `"${column}"`).join(', ')
    const rows = client.query(copyFrom(`COPY ${TABLE} (${columns}) FROM STDIN`))
    await pipeline(Readable.from(copyLines(objects)), rows)
    await client.query(CATEGORY_INDEX)
    await client.query(`VACUUM (ANALYZE) ${TABLE}`)
  } finally {
    await client.end()
  }
  return database
}

/** No value holds a tab, a line end or a backslash. */
function* copyLines(objects: number): Generator<string> {
  for (const row of partRows(objects)) yield `${row.join('\t')}\n`
}

/** A SQLite file that holds the table. */
export function writeSqliteTable(file: string, objects: number): void {
  using db = new DatabaseSync(file)
  db.exec(`CREATE TABLE ${TABLE} (
    "partNumber" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "category" TEXT NOT NULL,
    "revision" INTEGER NOT NULL, "weight" REAL NOT NULL, "changedAt" TEXT NOT NULL,
    "notes" TEXT NOT NULL)`)
  insertParts(db, TABLE, objects)
  db.exec(CATEGORY_INDEX)
  db.exec('ANALYZE')
}

export function insertParts(db: DatabaseSync, table: string, objects: number): void {
  const columns = COLUMNS.map((column) => `"${column}"`).join(', ')
  const places = COLUMNS.map(() => '?').join(', ')
  const insert = db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places})`)
  db.exec('BEGIN')
  for (const row of partRows(objects)) insert.run(...row)
  db.exec('COMMIT')
}

function* partRows(objects: number): Generator<(string | number)[]> {
  for (let number = 0; number < objects; number++) {
    const part = makePart(number, 0)
    yield COLUMNS.map((column) => part[column])
  }
}
