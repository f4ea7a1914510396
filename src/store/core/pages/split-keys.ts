/** Divides the current objects of a type, in key order, into parts of equal size. */
import type { PartEnd, SplitKeys } from '../../port/pages.ts'
import { NEVER_CLOSED, objectTable } from '../catalogue/object-tables.ts'
import { boolean, integer, text } from '../session/session.ts'
import type { SlowRead } from '../session/store-operations.ts'

interface SplitInput {
  readonly typeRid: string
  readonly parts: number
  readonly canReadCurrentRows: boolean
}

const TYPE = { table: integer, isCreated: boolean, version: integer, count: integer } as const

export const splitKeys: SlowRead<SplitInput, SplitKeys> = {
  name: 'splitKeys',
  // The version and the number of objects are those of the rows.
  isOneMoment: true,
  *run(session, { typeRid, parts, canReadCurrentRows }) {
    const type = yield* session.find(
      `SELECT o.id, o.is_created, t.published, o.live_count
       FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.rid = ?`,
      [typeRid],
      TYPE,
    )
    const { version = 0, count = 0 } = type ?? {}
    if (!type?.isCreated) return { version, count: 0, ends: [] }
    const visible = canReadCurrentRows
      ? `o.valid_to = ${NEVER_CLOSED}`
      : `o.valid_from <= ${version} AND o.valid_to > ${version}`
    const ends: PartEnd[] = []
    const most = Math.min(parts, count)
    for (let part = 1; part < most; part += 1) {
      const last = ends.at(-1) ?? { pk: '', count: 0 }
      const upTo = Math.round((part * count) / most)
      // An index has the keys of the current rows alone, so that skipping them reads no objects.
      const row = yield* session.find(
        `SELECT o.pk FROM ${objectTable(type.table)} AS o
         WHERE o.pk > ? AND ${visible} ORDER BY o.pk LIMIT 1 OFFSET ?`,
        [last.pk, upTo - last.count - 1],
        { pk: text },
      )
      if (row === undefined) break
      ends.push({ pk: row.pk, count: upTo })
    }
    return { version, count, ends }
  },
}
