/**
 * The replication slot of a sync, which has the name of its publication. The publication is created
 * before the copy, the slot when all objects of the copy are visible: a slot that exists says that the
 * copy is complete.
 */
import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { parseLsn } from './lsn.ts'

const NAME_LENGTH = 63
const HASH_LENGTH = 8

/** Returns a name that people recognise, and that only this sync has. */
export function slotName(
  ontology: { readonly apiName: string; readonly rid: string },
  /** The type, or the pattern of the tables. */
  label: string,
  /** The RID of the type, or the pattern of the tables. */
  identity: string,
): string {
  const hash = createHash('sha256').update(`${ontology.rid} ${identity}`).digest('hex')
  const words = `oqs_sync_${ontology.apiName}_${label}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const name = words.replace(/_+$/, '').slice(0, NAME_LENGTH - HASH_LENGTH - 1)
  return `${name}_${hash.slice(0, HASH_LENGTH)}`
}

export interface Slot {
  readonly confirmed: bigint
  /** The WAL that the source keeps for the slot. */
  readonly retainedBytes: number
  /** Whether the source has removed changes that the slot needs. */
  readonly isLost: boolean
}

export async function readSlot(client: Client, name: string): Promise<Slot | undefined> {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT confirmed_flush_lsn AS confirmed, wal_status AS status, plugin, database = current_database() AS "isHere",
       greatest(pg_current_wal_lsn() - restart_lsn, 0) AS retained
     FROM pg_replication_slots WHERE slot_name = $1`,
    [name],
  )
  const [row] = rows
  if (row === undefined) return undefined
  if (row['plugin'] !== 'pgoutput' || row['isHere'] !== 't') {
    throw new Error(
      `The replication slot ${name} belongs to another database or plugin. Pass another name with --slot.`,
    )
  }
  return {
    confirmed: parseLsn(row['confirmed'] ?? '0/0'),
    retainedBytes: Number(row['retained']),
    isLost: row['status'] === 'lost',
  }
}

/** Returns the names of other slots for an ontology and tables with these names, which nothing reads. */
export async function readForgottenSlots(client: Client, name: string): Promise<readonly string[]> {
  const prefix = name.slice(0, -HASH_LENGTH)
  const { rows } = await client.query<{ readonly name: string }>(
    `SELECT slot_name AS name FROM pg_replication_slots
     WHERE starts_with(slot_name, $1) AND length(slot_name) = $2 AND slot_name <> $3 AND NOT active
       AND database = current_database() AND plugin = 'pgoutput'`,
    [prefix, name.length, name],
  )
  return rows.map((row) => row.name)
}

/** Drops the slot, if it exists. */
export async function dropSlot(client: Client, name: string): Promise<void> {
  await client.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1',
    [name],
  )
}

/**
 * Returns the position behind everything that is committed now. At the start of a page, the source
 * reports the position behind the header of the page, which it reaches only with the next record.
 */
export async function readPosition(client: Client): Promise<bigint> {
  const { rows } = await client.query<{ readonly lsn: string }>(
    'SELECT pg_current_wal_insert_lsn() AS lsn',
  )
  const lsn = parseLsn(rows[0]?.lsn ?? '0/0')
  const offset = lsn % PAGE_BYTES
  return PAGE_HEADERS.includes(offset) ? lsn - offset : lsn
}

const PAGE_BYTES = 8192n
const PAGE_HEADERS = [24n, 40n]
