/**
 * Reads rows from the machines that hold them, without the coordinator. It would fetch as many rows
 * from each shard as the page has, and plan the statement once more on each machine. If a machine
 * cannot be reached from here, the coordinator is asked.
 */
import type { Pool } from 'pg'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { QUERY_TIMEOUT_SECONDS } from '../../../contract/limits.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import { makePool } from '../driver/connection-pool.ts'
import { ReadPool } from '../driver/read-pool.ts'
import { isLostConnection } from '../driver/store-failure.ts'
import type { Machine } from './shards.ts'

/** A machine that could not be reached is not tried again for this long. */
const AVOIDED_MS = 10_000
/** As many as pages are read at once. */
const CONNECTIONS = 5

interface ShardPool {
  readonly pool: Pool
  readonly reader: ReadPool
  avoidedUntil: number
}

/** Rows of a machine, and the next one to merge. */
interface Part {
  readonly machine: Machine
  readonly rows: readonly ByteRow[]
  next: number
  /** Whether the machine has no further rows. */
  readonly isLast: boolean
}

/** Returns the statement for at most `limit` rows of a machine, those after a key. */
type ShardStatement = (machine: Machine, limit: number, after?: string) => SqlCondition

export class ShardReader implements AsyncDisposable {
  readonly #url: string
  readonly #statementTimeoutMs: number
  readonly #pools = new Map<string, ShardPool>()

  constructor(url: string, { queryTimeoutMs }: { readonly queryTimeoutMs?: number | undefined }) {
    this.#url = url
    this.#statementTimeoutMs = queryTimeoutMs ?? 1000 * QUERY_TIMEOUT_SECONDS
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), ({ pool }) => pool.end()))
  }

  /**
   * Returns the first rows of all machines in the order of their keys; undefined if there is none, or
   * one of them cannot be asked. Keys are spread evenly, so each machine is asked for its share and a margin, and again
   * if that was not enough.
   */
  async readInOrder(
    machines: readonly Machine[],
    limit: number,
    statement: ShardStatement,
  ): Promise<readonly ByteRow[] | undefined> {
    if (machines.length === 0) return undefined
    const share = shareOf(limit, machines.length)
    const readNext = async (machine: Machine, after?: string): Promise<Part> => {
      const rows = await this.#read(machine, statement(machine, share, after))
      return { machine, rows, next: 0, isLast: rows.length < share }
    }
    try {
      const parts = await Promise.all(machines.map((machine) => readNext(machine)))
      const merged: ByteRow[] = []
      while (merged.length < limit) {
        const read = parts.findIndex(({ rows, next, isLast }) => next === rows.length && !isLast)
        const part = parts[read]
        if (part !== undefined) {
          parts[read] = await readNext(part.machine, String(part.rows.at(-1)?.[0]))
          continue
        }
        const first = firstOf(parts)
        const row = first?.rows[first.next]
        if (first === undefined || row === undefined) break
        merged.push(row)
        first.next += 1
      }
      return merged
    } catch {
      return undefined
    }
  }

  async #read(machine: Machine, { sql, values }: SqlCondition): Promise<readonly ByteRow[]> {
    const asked = this.#poolOf(machine)
    if (performance.now() < asked.avoidedUntil) throw new Error('the machine was not reached')
    try {
      return await asked.reader.queryBytes(sql, values, { isPrepared: true })
    } catch (error) {
      const cause = error instanceof ObjectQueryError ? error.cause : error
      if (isLostConnection(cause)) asked.avoidedUntil = performance.now() + AVOIDED_MS
      throw error
    }
  }

  #poolOf({ host, port }: Machine): ShardPool {
    const name = `${host}:${port}`
    const known = this.#pools.get(name)
    if (known !== undefined) return known
    const pool = makePool(atMachine(this.#url, host, port), {
      max: CONNECTIONS,
      statementTimeoutMs: this.#statementTimeoutMs,
      isOfShards: true,
    })
    const added = { pool, reader: new ReadPool(pool), avoidedUntil: 0 }
    this.#pools.set(name, added)
    return added
  }
}

/** All machines of a cluster have the same database and role. */
function atMachine(coordinator: string, host: string, port: number): string {
  const url = new URL(coordinator)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  url.hostname = host
  url.port = String(port)
  return url.href
}

/** More than the rows of one machine vary in four pages out of five thousand. */
function shareOf(limit: number, machines: number): number {
  const share = limit / machines
  return Math.min(limit, Math.ceil(share + 3 * Math.sqrt(share)))
}

/** Returns the part whose next row has the smallest key. */
function firstOf(parts: readonly Part[]): Part | undefined {
  let first: Part | undefined
  for (const part of parts) {
    const key = part.rows[part.next]?.[0]
    const least = first?.rows[first.next]?.[0]
    if (key && (!least || Buffer.compare(key, least) < 0)) first = part
  }
  return first
}
