/**
 * The ceiling of an import: the rows of an imported store, written into the same tables in the best
 * order, with indexes that are built once at the end. Nothing is parsed, checked or sent, and the
 * terms are cut beforehand.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { indexedTerms, type NumberedTexts } from '../../src/store/sql/text-index.ts'
import { readFieldNumbers } from '../../src/store/sqlite/catalogue/field-numbers.ts'
import type { LoadReport } from './report.ts'

const BATCH = 10_000
const SETTINGS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768'

/** Copies the current rows of the only type of a store. */
export function loadReference(source: string, target: string): LoadReport {
  using from = new DatabaseSync(source, { readOnly: true })
  const type = from.prepare('SELECT id, table_id FROM object_type').get()
  const table = `object_${type?.['table_id']}`
  const schema = from
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name IN (?, 'term') AND sql IS NOT NULL")
    .all(table)
    .map(({ sql }) => String(sql))
  const [tables, indexes] = [
    schema.filter((sql) => !isIndex(sql)),
    schema.filter((sql) => isIndex(sql)),
  ]
  const clock = new Stopwatch()
  {
    using to = new DatabaseSync(target)
    to.exec(`${SETTINGS}; ${tables.join(';\n')}`)
    const columns = from.prepare(`SELECT * FROM ${table}`).columns()
    const names = columns.map(({ name }) => name)
    const addRow = to.prepare(`INSERT INTO ${table} VALUES (${names.map(() => '?').join(', ')})`)
    const addTerms = to.prepare('INSERT INTO term (rowid, terms) VALUES (?, ?)')
    for (const batch of readBatches(from, table, Number(type?.['id']))) {
      clock.start()
      to.exec('BEGIN IMMEDIATE')
      for (const { row, terms } of batch) {
        addRow.run(...row)
        addTerms.run(row[0] ?? 0, terms)
      }
      to.exec('COMMIT')
      clock.stop()
    }
    clock.start()
    for (const sql of indexes) to.exec(sql)
    to.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    clock.stop()
  }
  return { seconds: clock.seconds, cpuMicros: clock.cpuMicros, bytes: statSync(target).size }
}

type Row = readonly (string | number | null)[]

interface ReferenceRow {
  readonly row: Row
  readonly terms: string
}

function* readBatches(
  db: DatabaseSync,
  table: string,
  typeId: number,
): Generator<readonly ReferenceRow[]> {
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY pk`)
  rows.setReturnArrays(true)
  const names = rows.columns().map(({ name }) => name)
  // The key property has no column of its own.
  const fields = readFieldNumbers(db, typeId).properties.map(({ number }) => {
    const column = names.indexOf(`p${number}`)
    return [number, column === -1 ? names.indexOf('pk') : column] as const
  })
  let batch: ReferenceRow[] = []
  for (const each of rows.iterate() as Iterable<unknown>) {
    const row = each as Row
    const texts = fields.flatMap(([number, column]): NumberedTexts[] => {
      const value = row[column]
      return typeof value === 'string' ? [[number, [value]]] : []
    })
    batch.push({ row, terms: indexedTerms(texts) })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function isIndex(sql: string): boolean {
  return /^CREATE (UNIQUE )?INDEX/.test(sql)
}

/** Adds up the time and CPU time of the pieces between `start` and `stop`. */
class Stopwatch {
  seconds = 0
  cpuMicros = 0
  #startedAt = 0
  #cpu = process.cpuUsage()

  start(): void {
    this.#startedAt = performance.now()
    this.#cpu = process.cpuUsage()
  }

  stop(): void {
    this.seconds += (performance.now() - this.#startedAt) / 1000
    const { user, system } = process.cpuUsage(this.#cpu)
    this.cpuMicros += user + system
  }
}
