/**
 * The heads of types as they were last seen, and statements that rely on them: such a statement reads
 * rows from the table that was seen last, together with the current head of the type. The head shows
 * whether the table was right. A single statement sees one moment, as a transaction does.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { RequestContext } from '../../port/request-context.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import {
  HEAD_TEXT_SQL,
  PLACED_HEAD_SQL,
  parseTypeHead,
  type TypeHead,
} from '../catalogue/type-head.ts'
import { type Machine, readMachines } from '../citus/shards.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { SharedReads } from '../driver/shared-reads.ts'
import { isMissingTable } from '../driver/store-failure.ts'

export interface HeadAndRows {
  readonly head: TypeHead
  readonly rows: readonly ByteRow[]
  /** Undefined if the statement does not count. */
  readonly totalCount: number | undefined
}

/** A statement of `page-sql.ts`. */
interface RowsStatement extends SqlCondition {
  /** Whether its rows have a fourth column, with their bytes. */
  readonly isMeasured: boolean
  readonly isPrepared: boolean
  /** The number of all matches. */
  readonly totalCount?: SqlCondition | undefined
}

interface SeenShards {
  readonly placements: string
  readonly table: number
  readonly machines: readonly Machine[]
}

export class SeenHeads {
  readonly #heads = new WeakMap<ObjectType, TypeHead>()
  readonly #shards = new WeakMap<ObjectType, SeenShards>()
  readonly #reads: SharedReads<ObjectType, readonly ByteRow[] | undefined>

  constructor(isDistributed = false) {
    const sql = isDistributed ? PLACED_HEAD_SQL : HEAD_TEXT_SQL
    this.#reads = new SharedReads(({ rid }, pool) => query(pool, sql, [rid], true))
  }

  find(type: ObjectType): TypeHead | undefined {
    return this.#heads.get(type)
  }

  /** Returns the machines with the shards of the current table, as they were seen last. */
  findMachines(type: ObjectType): readonly Machine[] | undefined {
    return this.#shards.get(type)?.machines
  }

  /** Notes a head that was read for a request, and verifies what the request took from caches. */
  note(type: ObjectType, head: TypeHead, context: RequestContext): TypeHead {
    context.cachedIdentity?.verify(head.generations)
    this.#heads.set(type, head)
    return head
  }

  /** Reads the head alone; undefined if the type does not exist. */
  async read(
    type: ObjectType,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<TypeHead | undefined> {
    const [row] = (await this.#reads.read(type, pool)) ?? []
    if (row === undefined) return undefined
    const head = this.note(type, parseTypeHead(String(row[0])), context)
    if (row[1]) await this.#noteShards(type, head.current.table, String(row[1]), pool)
    return head
  }

  async #noteShards(
    type: ObjectType,
    table: number,
    placements: string,
    pool: ReadPool,
  ): Promise<void> {
    const seen = this.#shards.get(type)
    if (seen?.placements === placements && seen.table === table) return
    this.#shards.set(type, { placements, table, machines: await readMachines(pool, table) })
  }

  /** Returns undefined if the type does not exist, or if its table was replaced and has been dropped. */
  async readWith(
    { sql, values, isMeasured, isPrepared, totalCount }: RowsStatement,
    type: ObjectType,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<HeadAndRows | undefined> {
    const answer = await query(
      pool,
      `SELECT NULL, ${totalCount?.sql ?? 'NULL'}, head${isMeasured ? ', NULL' : ''}
       FROM (${HEAD_TEXT_SQL}) AS head UNION ALL (${sql})`,
      [...(totalCount?.values ?? []), type.rid, ...values],
      isPrepared,
    )
    const headRow = answer?.find(([pk]) => pk === null)
    if (headRow === undefined) return undefined
    const head = this.note(type, parseTypeHead(String(headRow[2])), context)
    const rows = answer?.filter((row) => row !== headRow) ?? []
    return { head, rows, totalCount: toCount(headRow) }
  }

  /**
   * Reads rows of a version as of a head that was read before, for databases that cannot read both in
   * one statement. No transaction is needed: the rows of a version do not change. The count must be
   * a statement.
   */
  async readAt(
    head: TypeHead,
    { sql, values, isPrepared, totalCount }: RowsStatement,
    pool: ReadPool,
  ): Promise<HeadAndRows | undefined> {
    const rows = await query(pool, sql, values, isPrepared)
    if (rows === undefined || totalCount === undefined) {
      return rows && { head, rows, totalCount: undefined }
    }
    const [counted] = (await query(pool, totalCount.sql, totalCount.values, isPrepared)) ?? []
    return counted && { head, rows, totalCount: toCount([null, ...counted]) }
  }
}

function toCount([, count]: ByteRow): number | undefined {
  return count ? Number(count.readBigInt64BE()) : undefined
}

/** Returns undefined if the table was replaced and has been dropped. */
async function query(
  pool: Pick<ReadPool, 'queryBytes'>,
  sql: string,
  values: readonly unknown[],
  isPrepared: boolean,
): Promise<readonly ByteRow[] | undefined> {
  try {
    return await pool.queryBytes(sql, values, { isPrepared })
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}
