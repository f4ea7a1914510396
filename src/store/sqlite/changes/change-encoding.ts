import { siblingModule } from '../../../contract/sibling-module.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { readFieldsOf } from '../../core/catalogue/fields.ts'
import type { Operation } from '../../core/session/operation.ts'
import type { ReadSession } from '../../core/session/session.ts'
import type { ChangeEncoding } from '../../object-store.ts'
import type { StoredField } from '../../sql/compile/field-numbers.ts'

type Fields = readonly StoredField[]

/**
 * Returns how batches are encoded for the writer thread. The fields of a type are read once for each
 * definition. If they are newer than the definition, the writer refuses the batch as out of sync.
 */
export function changeEncoding(
  read: (operation: (session: ReadSession) => Operation<Fields>) => Fields,
): ChangeEncoding {
  const known = new WeakMap<ObjectType, Fields>()
  return {
    module: siblingModule('change-encoder', import.meta.url).href,
    async optionsFor(objectType) {
      const fields = known.get(objectType) ?? read((session) => readFieldsOf(session, objectType))
      known.set(objectType, fields)
      return fields
    },
  }
}
