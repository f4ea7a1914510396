import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ChangeEncoding } from '../../port/writes.ts'
import type { StoredField } from '../../sql/compile/field-numbers.ts'
import type { StoreOperations } from '../session/store-operations.ts'
import { readFieldsOf } from './fields.ts'

/**
 * Returns how batches are encoded. The fields of a type are read once for each definition. If they are
 * newer than the definition, the batch is refused as out of sync.
 */
export function changeEncoding(operations: StoreOperations, encoder: URL): ChangeEncoding {
  const known = new WeakMap<ObjectType, readonly StoredField[]>()
  return {
    module: encoder.href,
    async optionsFor(type) {
      const fields =
        known.get(type) ?? (await operations.read((session) => readFieldsOf(session, type)))
      known.set(type, fields)
      return fields
    },
  }
}
