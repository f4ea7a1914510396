/**
 * Which machines hold the rows of a table. A move of a shard adds a placement and forgets the old
 * one, whose rows remain for a while; they are still right for the versions that were published.
 */
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { hashText } from './hash-text.ts'

/** A part of a table: a table on one machine. */
interface Shard {
  /** With its schema, quoted. */
  readonly table: string
  /** The smallest hash of its keys. */
  readonly firstHash: number
}

/** The shards of one machine. */
export interface Machine {
  readonly host: string
  readonly port: number
  readonly shards: readonly Shard[]
}

/** Changes with any shard that is created or moved, and with the address of a machine. */
export const PLACEMENTS_SQL = `concat((SELECT max(placementid) FROM pg_dist_placement), ' ',
  (SELECT sum(hashtext(nodename) + nodeport) FROM pg_dist_node))`

/** Returns the machines of a table; none if it is not distributed. */
export async function readMachines(pool: ReadPool, table: number): Promise<readonly Machine[]> {
  const rows = await pool.query(
    `SELECT n.nodename, n.nodeport, s.shardminvalue::integer,
       format('%s.%I', c.relnamespace::regnamespace, c.relname || '_' || s.shardid)
     FROM pg_class AS c JOIN pg_dist_shard AS s ON s.logicalrelid = c.oid
     JOIN (SELECT DISTINCT ON (shardid) shardid, groupid FROM pg_dist_placement) AS p
       ON p.shardid = s.shardid
     JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary'
     WHERE c.oid = to_regclass(?)`,
    [objectTable(table)],
  )
  const machines = Map.groupBy(rows, ([host, port]) => `${host}:${port}`)
  return [...machines.values()].map((own) => ({
    host: String(own[0]?.[0]),
    port: Number(own[0]?.[1]),
    shards: own.map(([, , firstHash, name]) => ({
      table: String(name),
      firstHash: Number(firstHash),
    })),
  }))
}

/** Returns the shard with the rows of a key, and its machine. */
export function shardOf(machines: readonly Machine[], pk: string): readonly Machine[] {
  const hash = hashText(pk)
  const parts = machines.flatMap(({ shards, ...at }) =>
    shards.map((shard) => ({ ...at, shards: [shard], firstHash: shard.firstHash })),
  )
  return parts
    .filter(({ firstHash }) => firstHash <= hash)
    .toSorted((a, b) => b.firstHash - a.firstHash)
    .slice(0, 1)
}

/** Selects the rows of all shards of a machine. */
export function rowsOn({ shards }: Machine): string {
  const selects = shards.map(({ table }) => `SELECT * FROM ${table}`)
  return selects.length === 1 ? (shards[0]?.table ?? '') : `(${selects.join(' UNION ALL ')})`
}
