/**
 * The ceiling of an import: the rows of an imported store, written into the same tables in the best
 * order, with indexes that are built once at the end. Nothing is parsed, checked or sent, and the
 * terms are cut beforehand.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readFields } from '../../src/store/core/catalogue/fields.ts'
import { indexedTerms, type NumberedTexts } from '../../src/store/sql/text/text-index.ts'
import { runIn, SqliteSession } from '../../src/store/sqlite/file/sqlite-session.ts'
import { StatementCache } from '../../src/store/sqlite/file/statement-cache.ts'
import type { LoadCost } from './load.ts'

const BATCH = 10_000
/** Rows whose terms are written together, as the service does. */
const GROUP = 1000
/** Those of the service. */
const SETTINGS = `PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 500; PRAGMA cache_size = -32768;
  PRAGMA mmap_size = ${64 * 1024 ** 3}`

/** Copies the current rows of the only type of a store. */
export function loadSqliteCeiling(source: string, target: string): LoadCost {
  using from = new DatabaseSync(source, { readOnly: true })
  const { typeId, table } = typeOf(from)
  const schema = from
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE tbl_name IN (?, 'oqs_term_index') AND sql IS NOT NULL",
    )
    .all(table)
    .map(({ sql }) => String(sql))
  const isIndex = (sql: string) => /^CREATE (UNIQUE )?INDEX/.test(sql)

  let seconds = 0
  let cpuMicros = 0
  const timed = (work: () => void) => {
    const started = performance.now()
    cpuMicros += cpuMicrosOf(work)
    seconds += (performance.now() - started) / 1000
  }
  using to = new DatabaseSync(target)
  to.exec(SETTINGS)
  for (const sql of schema.filter((sql) => !isIndex(sql))) to.exec(sql)
  const add = createRowAdder(to, table)
  for (const batch of readBatches(from, table, typeId)) timed(() => add(batch))
  timed(() => {
    for (const sql of schema.filter(isIndex)) to.exec(sql)
    to.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  })
  return { seconds, cpuMicros, bytes: statSync(target).size }
}

/**
 * Adds the rows that a store got after its ceiling was loaded, in key order, and moves them from the
 * WAL to the database. Returns the CPU microseconds per row.
 */
export function addNewRows(source: string, target: string): number {
  using from = new DatabaseSync(source, { readOnly: true })
  const { typeId, table } = typeOf(from)
  using to = new DatabaseSync(target)
  to.exec(SETTINGS)
  const last = to.prepare(`SELECT max(id) AS id FROM ${table}`).get()?.['id']
  const rows = [...readBatches(from, table, typeId, Number(last))].flat()
  const add = createRowAdder(to, table)
  const cpuMicros = cpuMicrosOf(() => {
    add(rows)
    to.exec('PRAGMA wal_checkpoint')
  })
  return cpuMicros / rows.length
}

function typeOf(db: DatabaseSync): { readonly typeId: number; readonly table: string } {
  const type = db.prepare('SELECT id, table_id FROM oqs_object_type').get()
  return { typeId: Number(type?.['id']), table: `oqs_object_${type?.['table_id']}` }
}

/** Returns a function that adds rows in one transaction. */
function createRowAdder(db: DatabaseSync, table: string): (rows: readonly CeilingRow[]) => void {
  const columns = storedColumns(db, table)
  const addRow = db.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
  )
  const addTerms = db.prepare('INSERT INTO oqs_term_index (rowid, terms) VALUES (?, ?)')
  return (rows) => {
    db.exec('BEGIN IMMEDIATE')
    for (let start = 0; start < rows.length; start += GROUP) {
      const group = rows.slice(start, start + GROUP)
      for (const { row } of group) addRow.run(...row)
      for (const { row, terms } of group) addTerms.run(row[0] ?? 0, terms)
    }
    db.exec('COMMIT')
  }
}

/** Returns the columns of a table, without those that SQLite computes. */
function storedColumns(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  return columns.map(({ name }) => String(name))
}

function cpuMicrosOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

interface CeilingRow {
  readonly row: readonly (string | number | bigint | null)[]
  readonly terms: string
}

function* readBatches(
  db: DatabaseSync,
  table: string,
  typeId: number,
  afterId = 0,
): Generator<readonly CeilingRow[]> {
  const names = storedColumns(db, table)
  const rows = db.prepare(`SELECT ${names.join()} FROM ${table} WHERE id > ? ORDER BY pk`)
  rows.setReturnArrays(true)
  // A number would be bound as a double, which takes more space than most integers.
  rows.setReadBigInts(true)
  // The key property has no column of its own.
  const stored = runIn({ session: new SqliteSession(db, new StatementCache(db)) }, (session) =>
    readFields(session, typeId),
  )
  const properties = stored.filter(({ structField }) => structField === undefined)
  const fields = properties.map(({ number }) => {
    const column = names.indexOf(`p${number}`)
    return [number, column === -1 ? names.indexOf('pk') : column] as const
  })
  let batch: CeilingRow[] = []
  for (const each of rows.iterate(afterId) as Iterable<unknown>) {
    const row = each as CeilingRow['row']
    const texts = fields.flatMap(([number, column]): NumberedTexts[] => {
      const value = row[column]
      return typeof value === 'string' ? [[number, [value]]] : []
    })
    batch.push({ row, terms: indexedTerms(texts) })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}
