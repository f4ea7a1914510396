/**
 * Copies tables as of one snapshot. A temporary slot provides the snapshot and keeps the changes that
 * follow it; it vanishes with its connection. When all objects are visible, it is copied to the
 * permanent slot, from which the changes are streamed.
 */
import { randomBytes } from 'node:crypto'
import pg, { type Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { connectSource, isForbidden, isUndefined } from './connect-source.ts'
import { copyRows } from './copy-rows.ts'
import { TableChanged } from './followed-tables.ts'
import { parseLsn } from './lsn.ts'
import { RowRefused, refusedObject } from './refused-rows.ts'
import { quotedName } from './source-tables.ts'
import { rowReader, type TableMapping } from './table-mapping.ts'
import type { UnfitValues } from './unfit-values.ts'

export interface CopyOptions {
  readonly url: string
  readonly ontology: string
  /** The slot to create for the changes since the copy; undefined if another one has them. */
  readonly slot: string | undefined
  readonly mappings: readonly TableMapping[]
  readonly unfit: UnfitValues
  readonly signal: AbortSignal
  readonly onProgress: (mapping: TableMapping, objects: number) => void
  /** Called for each table with a row that its type refuses, before the slot is created. */
  readonly onRefused: (refused: RowRefused) => Promise<void>
}

/** Tables that are copied at the same time, each by a connection of its own. */
const TABLES_AT_ONCE = 2
/** Batches of a table that are under way: the service writes one, and reads the next ones. */
const PENDING_BATCHES = 3
/** Larger than those of a replacement by hand: a request then costs little beside its rows. */
const BATCH_OBJECTS = 10_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

interface Copied {
  readonly objects: number
  /** The tables whose objects were replaced; the types of the others have refused a row. */
  readonly mappings: readonly TableMapping[]
  /** The transactions whose commit records are before it are part of the copy. */
  readonly position: bigint
}

/** Throws if the first copy of a sync has no table whose type takes all rows. */
export async function copyTables(endpoints: Endpoints, options: CopyOptions): Promise<Copied> {
  const { slot, signal, mappings, onRefused } = options
  await using client = await connectSource(options.url, { replication: true })
  const temporary = `oqs_sync_copy_${randomBytes(8).toString('hex')}`
  await client.query('BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ')
  // Waits until the transactions that are running now have ended.
  const { rows } = await client.query<Record<string, string>>(
    `CREATE_REPLICATION_SLOT ${temporary} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'use')`,
  )
  const position = parseLsn(rows[0]?.['consistent_point'] ?? '0/0')
  const copies = await copyAtOnce(endpoints, client, options)
  await client.query('COMMIT')
  signal.throwIfAborted()
  const refused = copies.filter((copy) => copy instanceof RowRefused)
  const [first] = refused
  if (first !== undefined && slot !== undefined && refused.length === mappings.length) throw first
  for (const error of refused) await onRefused(error)
  if (slot !== undefined) {
    await client.query(`SELECT pg_copy_logical_replication_slot('${temporary}', '${slot}', false)`)
  }
  const objects = copies.reduce<number>(
    (sum, copy) => sum + (copy instanceof RowRefused ? 0 : copy),
    0,
  )
  const stopped = new Set(refused.map(({ mapping }) => mapping))
  return { objects, mappings: mappings.filter((one) => !stopped.has(one)), position }
}

/** The number of objects of a table, or the row that its type has refused. */
type TableCopy = number | RowRefused

/** Copies tables beside each other, all of them as the transaction of the connection sees them. */
async function copyAtOnce(
  endpoints: Endpoints,
  client: Client,
  options: CopyOptions,
): Promise<readonly TableCopy[]> {
  const { mappings, url } = options
  await using others = new AsyncDisposableStack()
  const clients = [client]
  if (mappings.length > 1) {
    const exported = await client.query<Record<string, string>>('SELECT pg_export_snapshot() AS id')
    while (clients.length < Math.min(TABLES_AT_ONCE, mappings.length)) {
      const other = others.use(await connectSource(url))
      await other.query('BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ')
      await other.query(`SET TRANSACTION SNAPSHOT '${exported.rows[0]?.['id']}'`)
      clients.push(other)
    }
  }
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  const waiting = mappings.entries()
  const copies: TableCopy[] = []
  const copyNext = async (reader: Client) => {
    for (const [at, mapping] of waiting) {
      copies[at] = await copyTable(endpoints, reader, mapping, { ...options, signal })
    }
  }
  const reading = clients.map((reader) =>
    copyNext(reader).catch((error) => {
      // The others end as well; a failure that follows from this is not the reason.
      failed.abort(error)
    }),
  )
  await Promise.all(reading)
  failed.signal.throwIfAborted()
  return copies
}

/** Replaces the objects of a type by the rows of its table. */
async function copyTable(
  { administration }: Endpoints,
  client: Client,
  mapping: TableMapping,
  options: CopyOptions,
): Promise<TableCopy> {
  const type = { ontology: options.ontology, objectType: mapping.objectType }
  const replacement = await administration.startReplacement(type)
  try {
    await inParallel(readBatches(client, mapping, options), PENDING_BATCHES, async (lines) => {
      try {
        await administration.writeObjects(type, lines, { replacement })
      } catch (error) {
        throw refusedObject(error, mapping, lines)
      }
    })
    return (await administration.publishReplacement(type, replacement)).put
  } catch (error) {
    // A replacement that cannot be abandoned now expires.
    await administration.abandonReplacement(type, replacement).catch(() => {})
    if (error instanceof RowRefused) return error
    throw error
  }
}

/** Runs a task for each item, a few at once. Throws the first failure when none runs any more. */
async function inParallel<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  // A task may fail while the next item is being read.
  const failed = new AbortController()
  try {
    for await (const item of items) {
      failed.signal.throwIfAborted()
      const task = run(item)
        .catch((error) => failed.abort(error))
        .then(() => void running.delete(task))
      running.add(task)
      if (running.size >= limit) await Promise.race(running)
    }
  } finally {
    await Promise.all(running)
  }
  failed.signal.throwIfAborted()
}

/** Yields the lines of batches. */
async function* readBatches(
  client: Client,
  mapping: TableMapping,
  { unfit, signal, onProgress }: CopyOptions,
): AsyncGenerator<string> {
  const { kind, key } = mapping.table
  const columns = [...new Set([...mapping.columns.map((column) => column.name), ...key])]
  const reader = rowReader(mapping, columns, unfit.reporter(mapping))
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const table = quotedName(mapping.table)
  // Rows of tables that inherit from this one are not its own; those of partitions are.
  const from = kind === 'table' ? `ONLY ${table}` : table
  let [lines, characters, objects] = [[] as string[], 0, 0]
  try {
    for await (const rows of copyRows(client, `SELECT ${list} FROM ${from}`, signal)) {
      for (const row of rows) {
        const object = reader.read(row)
        if (object === undefined) continue
        const line = JSON.stringify({ put: object.properties })
        lines.push(line)
        characters += line.length
        if (lines.length < BATCH_OBJECTS && characters < BATCH_CHARACTERS) continue
        yield lines.join('\n')
        ;[lines, characters] = [[], 0]
      }
      objects += rows.length
      onProgress(mapping, objects)
    }
  } catch (error) {
    // It was changed after the catalogue was read, which is read again.
    if (isUndefined(error)) throw new TableChanged(mapping, 'was changed before it was copied')
    if (!isForbidden(error)) throw error
    const grant = `GRANT SELECT ON ${table} TO ${pg.escapeIdentifier(client.user ?? '')}`
    throw new Error(
      `${(error as Error).message}. Run this as its owner, then run the command again: ${grant}`,
    )
  }
  if (lines.length > 0) yield lines.join('\n')
}
