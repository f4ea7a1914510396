/** The first copy of `oqs sync` against a copy of the same table from database to database. */

import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { Part } from '../measure/command.ts'
import { atMost, count, showProgress, toMarkdown } from '../measure/report.ts'
import type { Workbench } from '../measure/workbench.ts'
import { itemLines } from './answers-data.ts'
import { CREATE_ITEMS } from './copied-table.ts'

/** The first copy may take this many times as long as a dump that is restored. */
const LIMIT = 4
const ADD_KEY = 'ALTER TABLE item ADD PRIMARY KEY (id)'
const SYNC = ['--table', 'public.item', '--ontology', 'copied', '--type', 'item', '--once']

export const sync: Part<{ readonly rows: number }> = {
  about: `Copies a table of ten columns with oqs sync into an empty store, against COPY of the same table into
another database of the same server with its primary key after the rows, as pg_dump | psql does.`,
  full: { rows: 300_000 },
  quick: { rows: 20_000 },
  async run({ bench, numbers: { rows }, store, print }) {
    const source = await createSource(bench, rows)
    showProgress('copying from database to database')
    const restored = await timed(() => restore(source))
    const service = await bench.startService()
    showProgress('copying with oqs sync')
    const { seconds, cpuMicros, command } = await bench.measureCommand(service, [
      'sync',
      source,
      ...SYNC,
    ])
    const perRow = (micros: number) => count(micros / rows, 1)
    print(
      toMarkdown([
        [`${store}, ${count(rows)} rows`, 'seconds', 'rows/s', 'CPU µs'],
        [
          'oqs sync',
          seconds.toFixed(1),
          count(rows / seconds),
          perRow(cpuMicros + command.cpuMicros),
        ],
        ['COPY to COPY', restored.toFixed(1), count(rows / restored), '-'],
      ]),
    )
    return [atMost(LIMIT, `${store}: first copy of oqs sync / COPY to COPY`, seconds / restored)]
  },
}

/** Starts a server with a table, and returns the URL of its database. */
async function createSource(bench: Workbench, rows: number): Promise<string> {
  const settings = { wal_level: 'logical' }
  const { url } = bench.use(await startPostgresServer({ isDurable: true, settings }))
  showProgress(`writing a table of ${count(rows)} rows`)
  const file = join(bench.folder, 'items.csv')
  await writeFile(file, itemLines(rows))
  await using client = await connect(url)
  await client.query(CREATE_ITEMS)
  await pipeline(
    createReadStream(file),
    client.query(copyFrom('COPY item FROM STDIN (FORMAT csv, HEADER)')),
  )
  await client.query(ADD_KEY)
  await client.query('CREATE DATABASE restored')
  return url
}

async function restore(url: string): Promise<void> {
  const target = new URL(url)
  target.pathname = '/restored'
  await using reader = await connect(url)
  await using writer = await connect(target.href)
  await writer.query(CREATE_ITEMS)
  await pipeline(
    reader.query(copyTo('COPY item TO STDOUT')),
    writer.query(copyFrom('COPY item FROM STDIN')),
  )
  await writer.query(ADD_KEY)
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
