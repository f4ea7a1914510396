import type { PropertyType, ScalarType } from './property-type.ts'

/** The name of a property's type as object types of revision 1.0 show it: `Array<String>`. */
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
  // The table of the public API says LocalDate, and published clients know it by that name.
  date: 'LocalDate',
  timestamp: 'Timestamp',
  geopoint: 'GeoPoint',
  geoshape: 'GeoShape',
  attachment: 'Attachment',
  marking: 'Marking',
}
