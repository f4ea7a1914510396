/**
 * Copies tables as of one snapshot. A temporary slot provides the snapshot and keeps the changes that
 * follow it; it vanishes with its connection. When all objects are visible, it is copied to the
 * permanent slot, from which the changes are streamed.
 */
import { randomBytes } from 'node:crypto'
import pg, { type Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { ObjectEditor } from '../../client/object-editor.ts'
import { connectSource, isForbidden } from './connect-source.ts'
import type { SourceRow } from './pgoutput.ts'
import { quotedName } from './source-tables.ts'
import { rowReader, type TableMapping } from './table-mapping.ts'
import type { UnfitValues } from './unfit-values.ts'

export interface CopyOptions {
  readonly url: string
  readonly ontology: string
  readonly slot: string
  readonly mappings: readonly TableMapping[]
  readonly unfit: UnfitValues
  readonly signal: AbortSignal
  readonly onProgress: (mapping: TableMapping, objects: number) => void
}

/** Rows that one round trip reads. */
const FETCH_ROWS = 5000

/** Returns the number of objects. */
export async function copyTables(endpoints: Endpoints, options: CopyOptions): Promise<number> {
  const { ontology, slot, mappings, signal } = options
  await using client = await connectSource(options.url, { replication: true })
  const temporary = `oqs_sync_copy_${randomBytes(8).toString('hex')}`
  await client.query('BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ')
  // Waits until the transactions that are running now have ended.
  await client.query(
    `CREATE_REPLICATION_SLOT ${temporary} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'use')`,
  )
  let copied = 0
  for (const mapping of mappings) {
    const editor = new ObjectEditor(endpoints, { ontology, objectType: mapping.objectType })
    const { put } = await editor.replaceAll(readObjects(client, mapping, options))
    copied += put
  }
  await client.query('COMMIT')
  signal.throwIfAborted()
  await client.query(`SELECT pg_copy_logical_replication_slot('${temporary}', '${slot}', false)`)
  return copied
}

async function* readObjects(
  client: Client,
  mapping: TableMapping,
  { unfit, signal, onProgress }: CopyOptions,
): AsyncGenerator<object> {
  const { kind, key } = mapping.table
  const columns = [...new Set([...mapping.columns.map((column) => column.name), ...key])]
  const reader = rowReader(mapping, columns, unfit.reporter(mapping))
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const table = quotedName(mapping.table)
  // Rows of tables that inherit from this one are not its own; those of partitions are.
  const from = kind === 'table' ? `ONLY ${table}` : table
  await client
    .query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${list} FROM ${from}`)
    .catch((error: Error) => {
      if (!isForbidden(error)) throw error
      const grant = `GRANT SELECT ON ${table} TO ${pg.escapeIdentifier(client.user ?? '')}`
      throw new Error(
        `${error.message}. Run this as its owner, then run the command again: ${grant}`,
      )
    })
  let objects = 0
  for (;;) {
    signal.throwIfAborted()
    const fetch = { text: `FETCH ${FETCH_ROWS} FROM copied`, rowMode: 'array' }
    const { rows } = await client.query<string[]>(fetch as pg.QueryArrayConfig)
    if (rows.length === 0) break
    for (const row of rows as readonly SourceRow[]) {
      const object = reader.read(row)
      if (object !== undefined) yield object.properties
    }
    objects += rows.length
    onProgress(mapping, objects)
  }
  await client.query('CLOSE copied')
}
