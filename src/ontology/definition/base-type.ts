/** Type names in the object type metadata of revision 1.0. */

import type { PropertyType, ScalarType } from './property-type.ts'

/** Returns the name of a property type, such as `Array<String>`. */
export function baseType(type: PropertyType): string {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.type]
    case 'struct': {
      const fields = [...type.fields].map(([name, field]) => `${name}: ${baseType(field)}`)
      return `Struct<{${fields.join(', ')}}>`
    }
    case 'array':
      return `Array<${baseType(type.items)}>`
  }
}

const SCALARS: Readonly<Record<ScalarType, string>> = {
  string: 'String',
  boolean: 'Boolean',
  byte: 'Byte',
  short: 'Short',
  integer: 'Integer',
  long: 'Long',
  float: 'Float',
  double: 'Double',
  decimal: 'Decimal',
  // The public API and its published clients use this name.
  date: 'LocalDate',
  timestamp: 'Timestamp',
  geopoint: 'GeoPoint',
  geoshape: 'GeoShape',
  attachment: 'Attachment',
  marking: 'Marking',
}
