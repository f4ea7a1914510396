/**
 * The lower bound for an import: the same rows into the same tables and indexes, with prepared
 * statements in one process. Nothing is parsed, checked or sent.
 */
import { DatabaseSync } from 'node:sqlite'

const BATCH = 5000
const SYNCHRONOUS =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768'

/** Copies the objects of an imported database file in batches; returns the seconds of the writes. */
export function bareLoad(source: string, target: string): number {
  using from = new DatabaseSync(source, { readOnly: true })
  using to = new DatabaseSync(target)
  const table = `object_${from.prepare('SELECT table_id FROM object_type').get()?.['table_id']}`
  const schema = from
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name IN (?, 'term') AND sql IS NOT NULL")
    .all(table)
  to.exec(`${SYNCHRONOUS}; ${schema.map(({ sql }) => sql).join(';\n')}`)
  const rows = from.prepare(`SELECT * FROM ${table}`)
  rows.setReturnArrays(true)
  const columns = rows.columns().map(({ name }) => name)
  const addRow = to.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
  const addTerms = to.prepare('INSERT INTO term (rowid, terms) VALUES (?, ?)')
  const body = columns.indexOf('body')

  let seconds = 0
  for (const batch of batches(rows.iterate() as Iterable<unknown>)) {
    const started = performance.now()
    to.exec('BEGIN IMMEDIATE')
    for (const row of batch) {
      addRow.run(...row)
      // The terms of an object are those of its body, up to a prefix for the property.
      addTerms.run(row[0] ?? 0, row[body] ?? '')
    }
    to.exec('COMMIT')
    seconds += (performance.now() - started) / 1000
  }
  return seconds
}

type Row = readonly (string | number | null)[]

function* batches(rows: Iterable<unknown>): Generator<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row as Row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
