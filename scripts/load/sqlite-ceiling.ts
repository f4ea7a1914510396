/**
 * The ceiling of an import: the rows of an imported store, written into the same tables in the best
 * order, with indexes that are built once at the end. Nothing is parsed, checked or sent, and the
 * terms are cut beforehand.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { indexedTerms, type NumberedTexts } from '../../src/store/sql/text-index.ts'
import { readFieldNumbers } from '../../src/store/sqlite/catalogue/field-numbers.ts'
import type { LoadCost } from './load-cost.ts'

const BATCH = 10_000
const SETTINGS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768'

/** Copies the current rows of the only type of a store. */
export function loadSqliteCeiling(source: string, target: string): LoadCost {
  using from = new DatabaseSync(source, { readOnly: true })
  const type = from.prepare('SELECT id, table_id FROM object_type').get()
  const table = `object_${type?.['table_id']}`
  const schema = from
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name IN (?, 'term') AND sql IS NOT NULL")
    .all(table)
    .map(({ sql }) => String(sql))
  const isIndex = (sql: string) => /^CREATE (UNIQUE )?INDEX/.test(sql)

  let seconds = 0
  let cpuMicros = 0
  const timed = (work: () => void) => {
    const started = performance.now()
    const cpuBefore = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(cpuBefore)
    seconds += (performance.now() - started) / 1000
    cpuMicros += user + system
  }
  using to = new DatabaseSync(target)
  to.exec(SETTINGS)
  for (const sql of schema.filter((sql) => !isIndex(sql))) to.exec(sql)
  const marks = from
    .prepare(`SELECT * FROM ${table}`)
    .columns()
    .map(() => '?')
  const addRow = to.prepare(`INSERT INTO ${table} VALUES (${marks.join(', ')})`)
  const addTerms = to.prepare('INSERT INTO term (rowid, terms) VALUES (?, ?)')
  for (const batch of readBatches(from, table, Number(type?.['id']))) {
    timed(() => {
      to.exec('BEGIN IMMEDIATE')
      for (const { row, terms } of batch) {
        addRow.run(...row)
        addTerms.run(row[0] ?? 0, terms)
      }
      to.exec('COMMIT')
    })
  }
  timed(() => {
    for (const sql of schema.filter(isIndex)) to.exec(sql)
    to.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  })
  return { seconds, cpuMicros, bytes: statSync(target).size }
}

interface CeilingRow {
  readonly row: readonly (string | number | null)[]
  readonly terms: string
}

function* readBatches(
  db: DatabaseSync,
  table: string,
  typeId: number,
): Generator<readonly CeilingRow[]> {
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY pk`)
  rows.setReturnArrays(true)
  const names = rows.columns().map(({ name }) => name)
  // The key property has no column of its own.
  const fields = readFieldNumbers(db, typeId).properties.map(({ number }) => {
    const column = names.indexOf(`p${number}`)
    return [number, column === -1 ? names.indexOf('pk') : column] as const
  })
  let batch: CeilingRow[] = []
  for (const each of rows.iterate() as Iterable<unknown>) {
    const row = each as CeilingRow['row']
    const texts = fields.flatMap(([number, column]): NumberedTexts[] => {
      const value = row[column]
      return typeof value === 'string' ? [[number, [value]]] : []
    })
    batch.push({ row, terms: indexedTerms(texts, 'analyser') })
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}
