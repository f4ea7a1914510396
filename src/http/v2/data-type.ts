/** Property types as the metadata of v2 describes them. */
import { Type } from 'typebox'
import { namedObject } from '../../contract/schema-parts.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import { propertyRid } from '../../ontology/definition/rid.ts'

export const DataType = namedObject(
  'DataType',
  { type: Type.String() },
  {
    additionalProperties: true,
    description:
      'The type, such as `{"type": "integer"}`. An `array` has a `subType`, a `struct` has `structFieldTypes`.',
  },
)

/** Describes the type of a property, or of a field of a struct, which `names` lead to. */
export function dataType(type: PropertyType, typeRid: string, ...names: string[]): object {
  switch (type.kind) {
    case 'scalar':
      return { type: type.type }
    case 'array':
      return { type: 'array', subType: dataType(type.items, typeRid, ...names), reducers: [] }
    case 'struct':
      return {
        type: 'struct',
        structFieldTypes: [...type.fields].map(([apiName, field]) => ({
          apiName,
          rid: propertyRid(typeRid, ...names, apiName),
          dataType: dataType(field, typeRid, ...names, apiName),
          typeClasses: [],
        })),
      }
  }
}
