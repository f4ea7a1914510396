/** An object table with fields of all kinds: its SQL shows whether two builds create the same tables. */
import {
  type PropertyType,
  SCALAR_TYPES,
  type ScalarPropertyType,
} from '../../../ontology/definition/property-type.ts'
import { ALL_INDEXED } from '../../sql/compile/field-numbers.ts'
import type { TableDialect } from './build-table.ts'
import { fieldsOfType } from './fields.ts'

/** Returns the SQL of the table and of its indexes. */
export function sampleTable(tables: TableDialect): string {
  const layout = { ...ALL_INDEXED, indexedVersion: 0 }
  const fields = fieldsOfType(tables, sampleType()).map((field, index) => ({
    ...field,
    number: index + 1,
  }))
  return [
    tables.tableSql('sample', tables.columnsOf(fields, layout)),
    ...tables.indexesOf('sample', fields, layout).map(({ sql }) => sql),
  ].join(';\n')
}

function sampleType() {
  const primaryKey = { apiName: 'key', type: 'string' } as const
  const scalar = (type: ScalarPropertyType['type']) => ({ kind: 'scalar', type }) as const
  const scalars = SCALAR_TYPES.map(scalar)
  const struct = { kind: 'struct', fields: new Map(scalars.map((one) => [one.type, one])) } as const
  const arrays = [...scalars, struct].map((items) => ({ kind: 'array', items }) as const)
  const types: [string, PropertyType][] = [
    [primaryKey.apiName, scalar(primaryKey.type)],
    ...[...scalars, ...arrays, struct].map((type, n): [string, PropertyType] => [`p${n}`, type]),
  ]
  const properties = new Map(types.map(([apiName, type]) => [apiName, { apiName, type }]))
  return { properties, primaryKey }
}
