/** Changes the definition as the tables of the source have changed. */
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { type InferredTable, inferTables } from './infer-tables.ts'
import { extended, findType } from './sync-definition.ts'
import { addedColumns, asRecorded, type TableRecord } from './table-record.ts'

export interface TableChange {
  readonly inferred: InferredTable
  /** Undefined for a new table. */
  readonly record: TableRecord | undefined
}

/** Returns the same definition if it fits the tables. */
export function adaptDefinition(
  definition: OntologyDefinition,
  ontology: string,
  changes: readonly TableChange[],
  linkTypes: readonly LinkTypeDefinition[],
): OntologyDefinition {
  let result = definition
  for (const change of changes) {
    for (const [from, to] of renamedProperties(change)) result = rename(result, change, from, to)
  }
  const tables = changes.map(({ inferred, record }) => {
    if (record === undefined) return inferred
    // A property that others have removed since then stays removed.
    const added = new Set(
      addedColumns(inferred.table, record).map(({ name }) => inferred.propertyOf.get(name)),
    )
    const { definition: type } = inferred
    const properties = Object.fromEntries(
      Object.entries(type.properties).filter(([name]) => added.has(name)),
    )
    return { ...inferred, definition: { ...type, properties } }
  })
  const known = tables.filter(
    ({ definition: type }, index) =>
      changes[index]?.record === undefined || findType(result, type.apiName) !== undefined,
  )
  const created = new Set(
    changes.flatMap(({ inferred, record }) =>
      record === undefined ? [inferred.definition.apiName] : [],
    ),
  )
  const links = linkTypes.filter(({ from, to }) => created.has(from) || created.has(to))
  return extended(result, ontology, { tables: known, linkTypes: links, notes: [] })
}

/** Returns the properties of renamed columns, with their new names. */
function renamedProperties({
  inferred,
  record,
}: TableChange): readonly (readonly [string, string])[] {
  if (record === undefined) return []
  const before = asRecorded(inferred.table, record)
  const { tables } = inferTables([before], () => inferred.definition.apiName)
  return inferred.table.columns.flatMap((column, index) => {
    const from = tables[0]?.propertyOf.get(before.columns[index]?.name ?? '')
    const to = inferred.propertyOf.get(column.name)
    const isKnown = record.columns[column.number] !== undefined
    return isKnown && from !== undefined && to !== undefined && from !== to
      ? [[from, to] as const]
      : []
  })
}

/** Renames a property, unless the type lacks it or has one with the new name. */
function rename(
  definition: OntologyDefinition,
  { inferred }: TableChange,
  from: string,
  to: string,
): OntologyDefinition {
  const { apiName } = inferred.definition
  const type = findType(definition, apiName)
  if (type?.properties[from] === undefined || type.properties[to] !== undefined) return definition
  const { displayName } = inferred.definition.properties[to] ?? {}
  const renamed = (name: string) => (name === from ? to : name)
  const properties = Object.entries(type.properties).map(([name, property]) => {
    if (name !== from) return [name, property]
    const { displayName: _, ...rest } = property
    const named: PropertyDefinition = {
      ...(rest as PropertyDefinition),
      ...(displayName !== undefined && { displayName }),
      renamedFrom: from,
    }
    return [to, named]
  })
  const changed: ObjectTypeDefinition = {
    ...type,
    primaryKey: renamed(type.primaryKey),
    ...(type.titleProperty !== undefined && { titleProperty: renamed(type.titleProperty) }),
    properties: Object.fromEntries(properties),
  }
  const objectTypes = definition.objectTypes.map((one) => (one === type ? changed : one))
  const linkTypes = definition.linkTypes?.map((link) =>
    link.from === apiName && link.foreignKey === from ? { ...link, foreignKey: to } : link,
  )
  return { ...definition, objectTypes, ...(linkTypes !== undefined && { linkTypes }) }
}
