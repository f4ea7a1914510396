/**
 * The parts in one plain table, with an index on each column and on their terms: what a program does
 * that needs neither versions nor checks. Loads are compared with it.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { runSql } from '../../test/support/postgres.ts'
import { type PartProperties, partBatches } from '../measure/parts.ts'

/** What loading a number of objects cost. */
export interface LoadCost {
  readonly seconds: number
  /** Of all processes that take part; NaN if it cannot be measured. */
  readonly cpuMicros: number
  /** The size of the files. */
  readonly bytes: number
}

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

/** Writes the parts into a file in key order, and then builds the indexes. */
export function loadPlainSqlite(file: string, objects: number): LoadCost {
  using db = openPlainSqlite(file)
  db.exec(`${CREATE_TABLE}; CREATE VIRTUAL TABLE part_text USING fts5(${TEXTS.join()}, content='')`)
  const spent = [...partBatches(objects)].map((batch) => addParts(db, batch))
  spent.push(measure(() => db.exec(`${CREATE_INDEXES.join(';')}; PRAGMA wal_checkpoint(TRUNCATE)`)))
  const [seconds, cpuMicros] = (['seconds', 'cpuMicros'] as const).map((key) =>
    spent.reduce((sum, each) => sum + each[key], 0),
  ) as [number, number]
  return { seconds, cpuMicros, bytes: statSync(file).size }
}

export function openPlainSqlite(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec(SETTINGS)
  return db
}

/** Adds parts in one transaction, with prepared statements. */
export function addParts(db: DatabaseSync, parts: readonly PartProperties[]) {
  const marks = (names: readonly string[]) => names.map(() => '?').join()
  const addRow = db.prepare(`INSERT INTO ${TABLE} VALUES (${marks(COLUMNS)})`)
  const addTexts = db.prepare(
    `INSERT INTO part_text (rowid, ${TEXTS.join()}) VALUES (?, ${marks(TEXTS)})`,
  )
  return measure(() => {
    db.exec('BEGIN IMMEDIATE')
    for (const part of parts) {
      const { lastInsertRowid } = addRow.run(...Object.values(part))
      addTexts.run(lastInsertRowid, ...TEXTS.map((name) => part[name]))
    }
    db.exec('COMMIT')
  })
}

function measure(work: () => void): Omit<LoadCost, 'bytes'> {
  const [started, before] = [performance.now(), process.threadCpuUsage()]
  work()
  const { user, system } = process.threadCpuUsage(before)
  return { seconds: (performance.now() - started) / 1000, cpuMicros: user + system }
}

/** Loads the parts by one COPY in key order into a database, and then builds the indexes. */
export async function loadPlainPostgres(url: string, objects: number): Promise<LoadCost> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // Made before, because only the database is measured; no value has a comma.
    const lines = [...partBatches(objects)].map((batch) =>
      batch.map((part) => `${Object.values(part).join()}\n`).join(''),
    )
    const bytesBefore = await storedBytes(url)
    const started = performance.now()
    await client.query(CREATE_TABLE)
    const target = client.query(copyFrom(`COPY ${TABLE} FROM STDIN (FORMAT csv)`))
    await pipeline(Readable.from(lines), target)
    const text = TEXTS.map((name) => `"${name}"`).join(" || ' ' || ")
    const onTerms = `CREATE INDEX ON ${TABLE} USING gin (to_tsvector('simple', ${text}))`
    for (const sql of [...CREATE_INDEXES, onTerms]) await client.query(sql)
    const seconds = (performance.now() - started) / 1000
    const bytes = (await storedBytes(url)) - bytesBefore
    return { seconds, cpuMicros: Number.NaN, bytes }
  } finally {
    await client.end()
  }
}

/** Returns the size of the files of a store. */
export async function storedBytes(store: string): Promise<number> {
  if (store.startsWith('sqlite:')) return statSync(store.slice('sqlite:'.length)).size
  const [row] = await runSql(store, 'SELECT pg_database_size(current_database()) AS bytes')
  return Number(row?.['bytes'])
}
