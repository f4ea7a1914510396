/** Copies objects into the table of a rewrite. Bodies are read or converted, and indexed again. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectReader, RefusedObject } from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import { sameKey, type TypeConverter, tryConvert } from '../../sql/stored-change.ts'
import { readObjectType } from '../catalogue/read-object-type.ts'
import { columnsOf, putEncoder } from '../changes/change-message.ts'
import { startSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishedRows, readPublished } from '../staged/staged-record.ts'
import { rowWriter } from '../writes/write-row.ts'
import { claimKey, removeCopies, takeKeys } from './converted-keys.ts'
import type { Rewrite } from './rewrite-states.ts'

/** Thrown if an object cannot be rewritten. The message names no values. */
export class RewriteFailure extends Error {}

/** The objects and the bytes of one step, which takes about 20 milliseconds. */
const STEP = { objects: 400, bytes: 500_000 } as const

/** How objects are read, and those that do not fit. */
export interface Conversion {
  readonly converter: TypeConverter
  readonly unfit: UnfitObject[]
}

export interface CopiedObjects {
  readonly copied: number
  readonly lastKey: string
  /** True if no object follows the last key. */
  readonly isDone: boolean
}

/** Copies the objects that follow the last key, up to the size of a step. */
export function copyNextObjects(
  db: WriterDatabase,
  rewrite: Rewrite,
  conversion: Conversion,
): CopiedObjects {
  const copy = objectCopier(db, rewrite, conversion)
  const { sql, values } = publishedRows(readPublished(db, rewrite.typeId))
  const rows = db
    .cached(
      `SELECT pk, key, body FROM ${objectTable(rewrite.fromTable)}
       WHERE ${sql} AND pk > ? ORDER BY pk`,
    )
    .iterate(...values, rewrite.lastKey)
  const slice = startSlice()
  let [copied, bytes, { lastKey }, isDone] = [0, 0, rewrite, true]
  for (const row of rows) {
    // A few objects with many array elements can take longer than many others.
    const isFull = copied >= STEP.objects || bytes >= STEP.bytes || (copied > 0 && slice.isOver())
    if (isFull || conversion.unfit.length >= UNFIT_OBJECTS_MAX) {
      isDone = false
      break
    }
    const original = toOriginal(row)
    copy.add(original)
    copied += 1
    bytes += original.body.length
    lastKey = original.pk
  }
  copy.finish()
  return { copied, lastKey, isDone }
}

/** Copies some changed objects again, and returns by how many the number of copies grows. */
export function copyChangedObjects(
  db: WriterDatabase,
  rewrite: Rewrite,
  conversion: Conversion,
  limit: number,
): number {
  // Deleted first, so that a copy of this step is not mistaken for one whose original has changed.
  const keys = db
    .cached(
      `DELETE FROM oqs_rewrite_key WHERE object_type_id = ?1 AND pk IN (
         SELECT pk FROM oqs_rewrite_key WHERE object_type_id = ?1 ORDER BY pk LIMIT ?2
       ) RETURNING pk`,
    )
    .all(rewrite.typeId, limit)
    .map(({ pk }) => String(pk))
  const copy = objectCopier(db, rewrite, conversion)
  copy.remove(keys)
  const { sql, values } = publishedRows(readPublished(db, rewrite.typeId))
  const find = db.cached(
    `SELECT pk, key, body FROM ${objectTable(rewrite.fromTable)} WHERE ${sql} AND pk = ?`,
  )
  for (const key of keys) {
    const row = find.get(...values, key)
    if (row !== undefined) copy.add(toOriginal(row))
  }
  return copy.finish()
}

/** An object of the earlier table. */
interface Original {
  readonly pk: string
  readonly key: string
  readonly body: string
}

function toOriginal({ pk, key, body }: Readonly<Record<string, unknown>>): Original {
  return { pk: String(pk), key: String(key), body: String(body) }
}

/** Writes objects into the new table; `finish` must be called once. */
function objectCopier(db: WriterDatabase, rewrite: Rewrite, { converter, unfit }: Conversion) {
  const { typeId, toTable, loadedAs } = rewrite
  const { changesKeys } = converter
  const columns = columnsOf(converter.type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId, table: toTable, columns })
  let [count, maxRecordBytes] = [0, 0]
  return {
    add: (original: Original) => {
      const object = tryConvert(converter, original, unfit)
      // After the first object that does not fit, the others are only tried.
      if (object === undefined || unfit.length > 0) return
      const removed = changesKeys ? claimKey(db, rewrite, original.pk, object.pk) : 0
      if (removed === undefined) {
        unfit.push(sameKey(converter, original.key))
        return
      }
      rows.add(encode(object), loadedAs)
      count += 1 - removed
      maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
    },
    /** Removes the copies of some originals. */
    remove: (originals: readonly string[]) => {
      const keys = changesKeys ? takeKeys(db, rewrite, originals) : originals
      count -= removeCopies(db, rewrite, keys)
    },
    /** Returns by how many the number of copies has grown. */
    finish: () => {
      rows.finish()
      db.cached(
        `UPDATE oqs_object_table
         SET live_count = live_count + ?, max_record_bytes = max(max_record_bytes, ?) WHERE id = ?`,
      ).run(count, maxRecordBytes, toTable)
      return count
    },
  }
}

/** Returns how objects are read by their current definition. */
export function unchangedConversion(
  db: WriterDatabase,
  { typeId, generation }: Rewrite,
): Conversion {
  const name = `${typeId} ${generation}`
  const converter = db.converters.get(name) ?? unchangedConverter(readObjectType(db, typeId))
  db.converters.set(name, converter)
  return { converter, unfit: [] }
}

function unchangedConverter(type: ObjectType): TypeConverter {
  const readObject = objectReader(type)
  const convert = (body: string) => {
    try {
      return readObject(JSON.parse(body))
    } catch (error) {
      throw error instanceof RefusedObject ? new RewriteFailure(error.message) : error
    }
  }
  return { type, convert, changesKeys: false }
}
