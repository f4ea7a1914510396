import type { DatabaseSync } from 'node:sqlite'
import { siblingModule } from '../../../contract/sibling-module.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ChangeEncoding } from '../../object-store.ts'
import type { FieldRow } from '../../sql/field-numbers.ts'
import { readFields } from '../catalogue/field-numbers.ts'

/**
 * Returns how batches are encoded for the writer thread. The fields of a type are read once for each
 * definition. If they are newer than the definition, the writer refuses the batch as out of sync.
 */
export function changeEncoding(
  read: (readIn: (db: DatabaseSync) => readonly FieldRow[]) => readonly FieldRow[],
): ChangeEncoding {
  const known = new WeakMap<ObjectType, readonly FieldRow[]>()
  return {
    module: siblingModule('change-encoder', import.meta.url).href,
    async optionsFor(objectType) {
      const fields = known.get(objectType) ?? read((db) => readFields(db, objectType))
      known.set(objectType, fields)
      return fields
    },
  }
}
