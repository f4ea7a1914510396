/** Checks the rows of all object tables against their checksums. */
import { nextTurn } from '../../../admission/next-turn.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { checksumOf } from '../../object-checksum.ts'
import type { Verified } from '../../object-store.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import type { Database, Row } from '../driver/database.ts'

const ROWS_PER_STEP = 1000
/** Checking this many rows takes a millisecond. */
const ROWS_PER_TURN = 100

export async function verifyRows(database: Database, signal: AbortSignal): Promise<Verified> {
  const tables = await database.query(
    `SELECT o.id, t.definition::json ->> 'apiName' FROM oqs_object_table AS o
     JOIN oqs_object_type AS t ON t.id = o.object_type_id
     WHERE o.is_created AND o.state <> 'abandoned' ORDER BY o.id`,
  )
  let rows = 0
  for (const [id, objectType] of tables) {
    rows += await verifyTable(database, Number(id), String(objectType), signal)
  }
  return { rows }
}

/** Returns the number of rows. */
async function verifyTable(
  database: Database,
  id: number,
  objectType: string,
  signal: AbortSignal,
): Promise<number> {
  const context = { ...INTERNAL_CONTEXT, signal: () => signal }
  const sql = `SELECT pk, valid_from, checksum, key, concat(object_id, key, pk, body)
    FROM ${objectTable(id)} WHERE (pk, valid_from) > (?, ?::bigint)
    ORDER BY pk, valid_from LIMIT ${ROWS_PER_STEP}`
  let count = 0
  for (let after: readonly unknown[] = ['', 0]; ; ) {
    const rows: readonly Row[] = await database.readSlowly(context, (pool) =>
      pool.read(async (session) => {
        const [made] = await session.query('SELECT to_regclass(?) IS NOT NULL', [objectTable(id)])
        return made?.[0] === true ? session.query(sql, after) : []
      }),
    )
    for (const [, , checksum, key, covered] of rows) {
      count += 1
      if (count % ROWS_PER_TURN === 0) await nextTurn()
      if (checksumOf(String(covered)) === Number(checksum)) continue
      const primaryKey = JSON.parse(String(key)) as string
      throw new ObjectQueryError('StoredObjectDamaged', { objectType, primaryKey })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_PER_STEP) return count
    after = [last[0], last[1]]
  }
}
