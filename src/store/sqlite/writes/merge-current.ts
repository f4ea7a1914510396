/**
 * Adds the current objects of a type to a replacement, so that publishing it deletes none of them.
 * Meant for types with few objects: they are read and indexed again, in one transaction.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import {
  type ObjectReader,
  objectReader,
  RefusedObject,
  type StoredObject,
} from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { removeFromIndexes } from '../catalogue/object-table.ts'
import { readObjectType } from '../catalogue/read-object-type.ts'
import { columnsOf, putEncoder } from '../changes/change-message.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishedRows, readPublished } from '../staged/staged-record.ts'
import { rowWriter } from './write-row.ts'

export interface MergeSpec {
  readonly typeId: number
  /** The table of the current objects. */
  readonly from: number
  /** The table of the replacement, and the version of its rows. */
  readonly to: number
  readonly version: number
  /** Whether a current object wins over one of the replacement. */
  readonly keepsExisting: boolean
}

export interface Merged {
  /** Objects that only the type had. */
  readonly added: number
  /** Objects that both had, and that kept the value of the type. */
  readonly kept: number
  readonly maxRecordBytes: number
}

export function mergeCurrent(db: WriterDatabase, spec: MergeSpec): Merged {
  const [from, to] = [objectTable(spec.from), objectTable(spec.to)]
  const type = readObjectType(db, spec.typeId)
  const columns = columnsOf(type)
  const readObject = objectReader(type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId: spec.typeId, table: spec.to, columns })
  const find = db.cached(`SELECT id FROM ${to} WHERE pk = ? AND valid_to = ${NEVER_CLOSED}`)
  const remove = db.cached(`DELETE FROM ${to} WHERE id = ?`)
  const { sql, values } = publishedRows(readPublished(db, spec.typeId))
  const current = db.prepare(`SELECT pk, key, body FROM ${from} WHERE ${sql} ORDER BY pk`)
  let [added, kept, maxRecordBytes] = [0, 0, 0]
  for (const row of current.iterate(...values)) {
    const loaded = find.get(String(row['pk']))
    if (loaded !== undefined) {
      if (!spec.keepsExisting) continue
      removeFromIndexes(db, [Number(loaded['id'])])
      remove.run(Number(loaded['id']))
      kept += 1
    } else added += 1
    const put = readStored(readObject, row)
    rows.add(encode(put), spec.version)
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(put))
  }
  rows.finish()
  return { added, kept, maxRecordBytes }
}

/** A release may refuse objects that an earlier one accepted. */
function readStored(read: ObjectReader, row: Readonly<Record<string, unknown>>): StoredObject {
  try {
    return read(JSON.parse(String(row['body'])))
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    throw new ObjectQueryError('ReplacementMergeRefused', {
      primaryKey: JSON.parse(String(row['key'])),
      reason: error.message,
    })
  }
}
