/** Copies objects into the table of a rewrite. Bodies are read and indexed again. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectReader, RefusedObject } from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { OPEN } from '../../sql/new-table.ts'
import { removeFromIndexes } from '../catalogue/object-table.ts'
import { readObjectType } from '../catalogue/read-object-type.ts'
import type { Rewrite } from '../catalogue/rewrite-states.ts'
import { objectTable } from '../catalogue/table-name.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { columnsOf, putEncoder } from '../threads/change-message.ts'
import { rowWriter } from './write-row.ts'

/** Thrown if an object cannot be rewritten. The message names no values. */
export class RewriteFailure extends Error {}

/** The objects and the bytes of one step, which takes about 20 milliseconds. */
const STEP = { objects: 400, bytes: 500_000 } as const

export interface CopiedObjects {
  readonly copied: number
  readonly lastKey: string
  /** True if no object follows the last key. */
  readonly isDone: boolean
}

/** Copies the objects that follow the last key, up to the size of a step. */
export function copyNextObjects(db: WriterDatabase, rewrite: Rewrite): CopiedObjects {
  const copy = objectCopier(db, rewrite)
  const rows = db
    .cached(
      `SELECT pk, body FROM ${objectTable(rewrite.fromTable)}
       WHERE valid_to = ${OPEN} AND pk > ? ORDER BY pk`,
    )
    .iterate(rewrite.lastKey)
  let [copied, bytes, { lastKey }, isDone] = [0, 0, rewrite, true]
  for (const { pk, body } of rows) {
    if (copied >= STEP.objects || bytes >= STEP.bytes) {
      isDone = false
      break
    }
    copy.add(String(body))
    copied += 1
    bytes += String(body).length
    lastKey = String(pk)
  }
  copy.finish(copied)
  return { copied, lastKey, isDone }
}

/** Copies some changed objects again, and returns by how many the number of copies grows. */
export function copyChangedObjects(db: WriterDatabase, rewrite: Rewrite, limit: number): number {
  const { typeId, fromTable, toTable } = rewrite
  const keys = db
    .cached('SELECT pk FROM rewrite_change WHERE object_type_id = ? ORDER BY pk LIMIT ?')
    .all(typeId, limit)
    .map(({ pk }) => String(pk))
  const isListed = 'IN (SELECT value FROM json_each(?))'
  const list = JSON.stringify(keys)
  const removed = db
    .cached(
      `DELETE FROM ${objectTable(toTable)} WHERE valid_to = ${OPEN} AND pk ${isListed} RETURNING id`,
    )
    .all(list)
    .map(({ id }) => Number(id))
  removeFromIndexes(db, removed)
  const copy = objectCopier(db, rewrite)
  const find = db.cached(
    `SELECT body FROM ${objectTable(fromTable)} WHERE pk = ? AND valid_to = ${OPEN}`,
  )
  let added = 0
  for (const key of keys) {
    const body = find.get(key)?.['body']
    if (body === undefined) continue
    copy.add(String(body))
    added += 1
  }
  copy.finish(added - removed.length)
  db.cached(`DELETE FROM rewrite_change WHERE object_type_id = ? AND pk ${isListed}`).run(
    typeId,
    list,
  )
  return added - removed.length
}

/** Writes objects into the new table; `finish` must be called once. */
function objectCopier(db: WriterDatabase, { typeId, toTable, generation, loadedAs }: Rewrite) {
  const type = db.objectTypes.get(`${typeId} ${generation}`) ?? readObjectType(db, typeId)
  db.objectTypes.set(`${typeId} ${generation}`, type)
  const columns = columnsOf(type)
  const readObject = bodyReader(type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId, table: toTable, columns })
  let maxRecordBytes = 0
  return {
    add: (body: string) => {
      const object = readObject(body)
      rows.add(encode(object), loadedAs)
      maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
    },
    finish: (added: number) => {
      rows.finish()
      db.cached(
        `UPDATE object_table
         SET live_count = live_count + ?, max_record_bytes = max(max_record_bytes, ?) WHERE id = ?`,
      ).run(added, maxRecordBytes, toTable)
    },
  }
}

function bodyReader(type: ObjectType) {
  const readObject = objectReader(type)
  return (body: string) => {
    try {
      return readObject(JSON.parse(body))
    } catch (error) {
      throw error instanceof RefusedObject ? new RewriteFailure(error.message) : error
    }
  }
}
