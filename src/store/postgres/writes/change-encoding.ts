import { siblingModule } from '../../../contract/sibling-module.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { readFieldsOf } from '../../core/catalogue/fields.ts'
import type { Operation } from '../../core/session/operation.ts'
import type { ReadSession } from '../../core/session/session.ts'
import type { ChangeEncoding } from '../../object-store.ts'
import type { ColumnType } from '../catalogue/column-codec.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import type { EncoderOptions } from './change-encoder.ts'

/**
 * Returns how batches are encoded for COPY. The fields of a type are read once for each definition.
 * If they are newer than the definition, the batch is refused as out of sync.
 */
export function changeEncoding(
  read: (
    operation: (session: ReadSession) => Operation<readonly FieldColumns[]>,
  ) => Promise<readonly FieldColumns[]>,
): ChangeEncoding {
  const known = new WeakMap<ObjectType, readonly FieldColumns[]>()
  return {
    module: siblingModule('change-encoder', import.meta.url).href,
    async optionsFor(objectType): Promise<EncoderOptions> {
      const fields =
        known.get(objectType) ??
        (await read((session) => readFieldsOf<ColumnType>(session, objectType)))
      known.set(objectType, fields)
      return { fields }
    },
  }
}
