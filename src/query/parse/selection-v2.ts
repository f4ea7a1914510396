/** Parses the selection of v2: `select` with names, or `selectV2` with property identifiers. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { checkSelection, type Selection } from '../selection.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

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

/** The members of each identifier that names a whole property. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  property: ['type', 'apiName'],
  propertyWithLoadLevel: ['type', 'propertyIdentifier', 'loadLevel'],
  titleProperty: ['type'],
  primaryKeyProperty: ['type'],
}

/** Returns the property that an identifier selects. */
function readIdentifier(value: unknown, path: string, objectType: ObjectType): string {
  if (!isJsonObject(value)) throw unprocessable(path, 'is not a property identifier')
  const type = String(value['type'])
  const members = MEMBERS[type]
  if (members === undefined) {
    const allowed = Object.keys(MEMBERS).join(', ')
    const reason =
      type === 'structField'
        ? 'a single field of a struct cannot be selected; select its property'
        : `is not a type of property identifier; allowed types: ${allowed}`
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: `${path}.type`, reason })
  }
  refuseUnknownMembers(value, members, path, `a property identifier of type ${type}`)
  switch (type) {
    case 'titleProperty':
      return objectType.titleProperty ?? objectType.primaryKey.apiName
    case 'primaryKeyProperty':
      return objectType.primaryKey.apiName
    case 'propertyWithLoadLevel':
      // No property has reducers or a main value, so every load level returns the whole value.
      return readIdentifier(value['propertyIdentifier'], `${path}.propertyIdentifier`, objectType)
    default:
      if (typeof value['apiName'] !== 'string') {
        throw unprocessable(`${path}.apiName`, 'is not a string')
      }
      return value['apiName']
  }
}
