/** Parses the selection of v2: `select` with names, or `selectV2` with property identifiers. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkSelection, type Selection } from '../selection.ts'
import { readPropertyIdentifier, STRUCT_FIELD_SEPARATOR, V2_FIELDS } from './v2-fields.ts'

/** A selection as the client wrote it. Absent, null and empty lists all mean every property. */
export interface WrittenSelection {
  readonly select?: readonly string[] | null | undefined
  readonly selectV2?: readonly unknown[] | null | undefined
}

export function parseSelection(written: WrittenSelection, objectType: ObjectType): Selection {
  const [select, selectV2] = [written.select ?? [], written.selectV2 ?? []]
  if (select.length > 0 && selectV2.length > 0) {
    throw new ObjectQueryError('InvalidParameterCombination', {
      validCombinations: [['select'], ['selectV2']],
      providedParameters: ['select', 'selectV2'],
    })
  }
  const identified = selectV2.map((identifier, index) =>
    readIdentifier(identifier, `selectV2[${index}]`, objectType),
  )
  return checkSelection([...select, ...identified], objectType)
}

/** Returns the property that an identifier selects. */
function readIdentifier(value: unknown, path: string, objectType: ObjectType): string {
  const written = readPropertyIdentifier(value, objectType, path)
  const isStructField =
    written.includes(STRUCT_FIELD_SEPARATOR) ||
    V2_FIELDS.find(written, objectType)?.structField !== undefined
  if (isStructField) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      reason: 'a single field of a struct cannot be selected; select its property',
    })
  }
  return written
}
