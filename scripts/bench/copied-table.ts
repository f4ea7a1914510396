/**
 * The fastest sensible way to load a file of items into PostgreSQL: COPY into a table without indexes
 * in one transaction, then an index for each column and one of the terms of all texts.
 */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { measureCost } from '../measure/processes.ts'
import { type Load, storedBytes } from './measure-import.ts'

const TEXT = 'text COLLATE "C"'
const ITEM_COLUMNS: Readonly<Record<string, string>> = {
  id: TEXT,
  region: TEXT,
  station: TEXT,
  status: TEXT,
  seenAt: 'timestamptz',
  amount: 'integer',
  weight: 'double precision',
  active: 'boolean',
  title: TEXT,
  notes: TEXT,
}
/** The service indexes the beginning of longer texts. */
const LONG_TEXTS = ['notes']

export const CREATE_ITEMS = `CREATE TABLE item (${Object.entries(ITEM_COLUMNS)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(', ')})`
const CREATE_INDEXES = [
  'ALTER TABLE item ADD PRIMARY KEY (id)',
  ...Object.keys(ITEM_COLUMNS)
    .slice(1)
    .map((name) => (LONG_TEXTS.includes(name) ? `substr("${name}", 1, 20)` : `"${name}"`))
    .map((value) => `CREATE INDEX ON item (${value}, id)`),
  // The service has the terms of all texts, those of the key too.
  `CREATE INDEX ON item USING gin (to_tsvector('simple', ${Object.entries(ITEM_COLUMNS)
    .filter(([, type]) => type === TEXT)
    .map(([name]) => `"${name}"`)
    .join(` || ' ' || `)}))`,
]

/** Loads a file of items into an empty database. */
export async function loadCopied(
  store: string,
  file: string,
  databasePid: number | undefined,
): Promise<Load> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  const bytesBefore = await storedBytes(store)
  const { seconds, cpuMicros } = await measureCost([databasePid ?? 0], async () => {
    await client.query('BEGIN')
    await client.query(CREATE_ITEMS)
    await pipeline(
      createReadStream(file),
      client.query(copyFrom('COPY item FROM STDIN (FORMAT csv, HEADER)')),
    )
    for (const sql of CREATE_INDEXES) await client.query(sql)
    await client.query('COMMIT')
  })
  await client.end()
  return {
    name: 'COPY, then indexes',
    seconds,
    cpuMicros,
    bytes: (await storedBytes(store)) - bytesBefore,
  }
}
