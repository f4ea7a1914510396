/**
 * The parts in one plain table, with an index on each column and on their terms: what a program does
 * that needs neither versions nor checks. Loads are compared with it.
 */
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type PartProperties, partBatches } from '../measure/parts.ts'
import { measureCost } from '../measure/processes.ts'
import { type Load, storedBytes } from './measure-import.ts'

const TABLE = 'part'
/** Columns with their types in PostgreSQL; SQLite accepts the same names. */
const TYPES: Readonly<Record<keyof PartProperties, string>> = {
  partNumber: 'text PRIMARY KEY',
  name: 'text NOT NULL',
  category: 'text NOT NULL',
  revision: 'integer NOT NULL',
  weight: 'double precision NOT NULL',
  changedAt: 'timestamptz NOT NULL',
  notes: 'text NOT NULL',
}
const TEXTS = ['partNumber', 'name', 'category', 'notes'] as const
const COLUMNS = Object.keys(TYPES)
const CREATE_TABLE = `CREATE TABLE ${TABLE} (${Object.entries(TYPES)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(', ')})`
const CREATE_INDEXES = COLUMNS.slice(1).map(
  (name) => `CREATE INDEX part_${name} ON ${TABLE} ("${name}", "partNumber")`,
)
/** Those of the service. */
const SETTINGS = `PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 500; PRAGMA cache_size = -32768;
  PRAGMA mmap_size = ${64 * 1024 ** 3}`

/** Loads parts in key order into an empty store, and then builds the indexes. */
export async function loadPlainTable(
  store: string,
  objects: number,
  databasePid: number | undefined,
): Promise<Omit<Load, 'name'>> {
  // Made before, because only the database is measured.
  const batches = [...partBatches(objects)]
  if (store.startsWith('sqlite:')) {
    using db = openPlainSqlite(store)
    const { seconds, cpuMicros } = await measureCost([process.pid], async () => {
      db.exec(`${CREATE_TABLE}; CREATE VIRTUAL TABLE part_text USING fts5(${TEXTS}, content='')`)
      for (const batch of batches) addParts(db, batch)
      db.exec(`${CREATE_INDEXES.join(';')}; PRAGMA wal_checkpoint(TRUNCATE)`)
    })
    return { seconds, cpuMicros, bytes: await storedBytes(store) }
  }
  const client = new Client({ connectionString: store })
  await client.connect()
  // No value has a comma.
  const lines = batches.map((batch) => batch.map((part) => `${Object.values(part)}\n`).join(''))
  const bytesBefore = await storedBytes(store)
  const { seconds, cpuMicros } = await measureCost([databasePid ?? 0], async () => {
    await client.query(CREATE_TABLE)
    const target = client.query(copyFrom(`COPY ${TABLE} FROM STDIN (FORMAT csv)`))
    await pipeline(Readable.from(lines), target)
    const text = TEXTS.map((name) => `"${name}"`).join(" || ' ' || ")
    const onTerms = `CREATE INDEX ON ${TABLE} USING gin (to_tsvector('simple', ${text}))`
    for (const sql of [...CREATE_INDEXES, onTerms]) await client.query(sql)
  })
  await client.end()
  return { seconds, cpuMicros, bytes: (await storedBytes(store)) - bytesBefore }
}

export function openPlainSqlite(store: string): DatabaseSync {
  const db = new DatabaseSync(store.slice('sqlite:'.length))
  db.exec(SETTINGS)
  return db
}

/** Adds parts in one transaction, with prepared statements. */
export function addParts(db: DatabaseSync, parts: readonly PartProperties[]): void {
  const marks = (names: readonly string[]) => names.map(() => '?').join()
  const addRow = db.prepare(`INSERT INTO ${TABLE} VALUES (${marks(COLUMNS)})`)
  const addTexts = db.prepare(`INSERT INTO part_text (rowid, ${TEXTS}) VALUES (?, ${marks(TEXTS)})`)
  db.exec('BEGIN IMMEDIATE')
  for (const part of parts) {
    const { lastInsertRowid } = addRow.run(...Object.values(part))
    addTexts.run(lastInsertRowid, ...TEXTS.map((name) => part[name]))
  }
  db.exec('COMMIT')
}
