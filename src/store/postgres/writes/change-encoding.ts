import { siblingModule } from '../../../contract/sibling-module.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ChangeEncoding } from '../../object-store.ts'
import { type FieldColumns, readFieldsOf } from '../catalogue/field-columns.ts'
import type { Session } from '../driver/database.ts'
import type { EncoderOptions } from './change-encoder.ts'

/**
 * Returns how batches are encoded for COPY. The fields of a type are read once for each definition.
 * If they are newer than the definition, the batch is refused as out of sync.
 */
export function changeEncoding(
  read: (readIn: (session: Session) => Promise<FieldColumns[]>) => Promise<FieldColumns[]>,
): ChangeEncoding {
  const known = new WeakMap<ObjectType, readonly FieldColumns[]>()
  return {
    module: siblingModule('change-encoder', import.meta.url).href,
    async optionsFor(objectType): Promise<EncoderOptions> {
      const fields =
        known.get(objectType) ?? (await read((session) => readFieldsOf(session, objectType)))
      known.set(objectType, fields)
      return { fields }
    },
  }
}
