/**
 * Copies tables as of one snapshot. A temporary slot provides the snapshot and keeps the changes that
 * follow it; it vanishes with its connection. When all objects are visible, it is copied to the
 * permanent slot, from which the changes are streamed.
 */
import { randomBytes } from 'node:crypto'
import pg, { type Client } from 'pg'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { connectSource, isForbidden, isUndefined } from './connect-source.ts'
import { copyRows } from './copy-rows.ts'
import { TableChanged } from './followed-tables.ts'
import { parseLsn } from './lsn.ts'
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
}

/** Batches of a table that are under way: the service writes one, and reads the next ones. */
const PENDING_BATCHES = 3
/** Larger than those of a replacement by hand: a request then costs little beside its rows. */
const BATCH_OBJECTS = 10_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

interface Copied {
  readonly objects: number
  /** The transactions whose commit records are before it are part of the copy. */
  readonly position: bigint
}

export async function copyTables(endpoints: Endpoints, options: CopyOptions): Promise<Copied> {
  const { slot, signal } = options
  await using client = await connectSource(options.url, { replication: true })
  const temporary = `oqs_sync_copy_${randomBytes(8).toString('hex')}`
  await client.query('BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ')
  // Waits until the transactions that are running now have ended.
  const { rows } = await client.query<Record<string, string>>(
    `CREATE_REPLICATION_SLOT ${temporary} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'use')`,
  )
  const position = parseLsn(rows[0]?.['consistent_point'] ?? '0/0')
  const objects = await replaceObjects(endpoints, client, options)
  await client.query('COMMIT')
  signal.throwIfAborted()
  if (slot !== undefined) {
    await client.query(`SELECT pg_copy_logical_replication_slot('${temporary}', '${slot}', false)`)
  }
  return { objects, position }
}

/** Replaces the objects of all types. The indexes of one are built while the next table is read. */
async function replaceObjects(
  { administration }: Endpoints,
  client: Client,
  options: CopyOptions,
): Promise<number> {
  const { ontology, mappings } = options
  const open = new Map<string, TypePath>()
  let publishing = Promise.resolve(0)
  try {
    for (const mapping of mappings) {
      const type = { ontology, objectType: mapping.objectType }
      const replacement = await administration.startReplacement(type)
      open.set(replacement, type)
      await inParallel(readBatches(client, mapping, options), PENDING_BATCHES, (lines) =>
        administration.writeObjects(type, lines, { replacement }),
      )
      const before = await publishing
      publishing = administration.publishReplacement(type, replacement).then(({ put }) => {
        open.delete(replacement)
        return before + put
      })
      // A failure is handled where it is awaited; until then it must not end the process.
      publishing.catch(() => {})
    }
    return await publishing
  } catch (error) {
    await publishing.catch(() => {})
    for (const [replacement, type] of open) {
      // A replacement that cannot be abandoned now expires.
      await administration.abandonReplacement(type, replacement).catch(() => {})
    }
    throw error
  }
}

/** Runs a task for each item, a few at once. Throws the first failure when none runs any more. */
async function inParallel<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<unknown>>()
  try {
    for await (const item of items) {
      const task = run(item).finally(() => running.delete(task))
      task.catch(() => {})
      running.add(task)
      if (running.size >= limit) await Promise.race(running)
    }
    await Promise.all(running)
  } finally {
    await Promise.allSettled(running)
  }
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
