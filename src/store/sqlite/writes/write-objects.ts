import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { columnsOf, putEncoder } from '../changes/change-message.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { rowWriter } from './write-row.ts'

export interface WrittenObjects {
  readonly typeId: number
  readonly table: number
  /** The type by which the objects were read. */
  readonly type: ObjectType
  readonly version: number
}

/** Writes the rows of objects that the writer thread has read itself. */
export function writeObjects(
  db: WriterDatabase,
  { typeId, table, type, version }: WrittenObjects,
  objects: readonly StoredObject[],
): void {
  const columns = columnsOf(type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId, table, columns })
  for (const object of objects) rows.add(encode(object), version)
  rows.finish()
}
