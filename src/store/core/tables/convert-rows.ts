/** Objects on their way into another table: read from their bodies, or converted. */
import { RefusedObject, type StoredObject } from '../../../ontology/values/read-object.ts'
import type { UnfitObject } from '../../port/definitions.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-definition-change.ts'
import { type TypeConverter, unfitObject } from '../../sql/stored-change.ts'
import type { Operation } from '../session/session.ts'
import type { TableBuilder } from './construction.ts'
import type { StoredRow } from './read-objects.ts'

/** Which objects are copied into which table, and how. */
export interface Copying {
  readonly typeId: number
  readonly sourceId: number
  /** The size of the largest of these objects. */
  readonly maxRecordBytes: number
  readonly tableId: number
  /** The version of the copies. */
  readonly version: number
  /** The changes up to this version are copied, or their keys are listed. */
  readonly notedVersion: number
  readonly converter: TypeConverter
  /** The objects that do not fit, found so far. */
  readonly unfit: UnfitObject[]
}

export interface CopiedObject {
  /** The key of the original, and as JSON. */
  readonly original: string
  readonly key: string
  readonly object: StoredObject
}

/** A converted object, or why it does not fit. */
export type Converted = CopiedObject | UnfitObject

export function fits(converted: Converted): converted is CopiedObject {
  return 'object' in converted
}

/** Converts objects, up to as many that do not fit as are reported. */
export function* convertRows(
  builder: TableBuilder,
  { converter, unfit }: Copying,
  rows: readonly StoredRow[],
): Operation<readonly Converted[]> {
  const converted: Converted[] = []
  let found = unfit.length
  for (const { pk: original, key, body } of rows) {
    if (found >= UNFIT_OBJECTS_MAX) break
    try {
      converted.push({ original, key, object: yield* builder.convert(converter.convert(body)) })
    } catch (error) {
      if (!(error instanceof RefusedObject)) throw error
      converted.push(unfitObject(converter, key, error))
      found += 1
    }
  }
  return converted
}
