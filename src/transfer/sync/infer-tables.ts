/** Infers object types and links from tables: one type per table, one link per foreign key. */
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { camelName, freeName, propertyNameOf, wordsOf } from '../columns/column-names.ts'
import { canHold, columnType, keyType, type ValueType } from './column-types.ts'
import { quotedName, type SourceColumn, type SourceTable, tableName } from './source-tables.ts'

/** A table and the object type for it. */
export interface InferredTable {
  readonly table: SourceTable
  readonly definition: ObjectTypeDefinition
  /** The property of each column that has one. */
  readonly propertyOf: ReadonlyMap<string, string>
}

export interface InferredTables {
  readonly tables: readonly InferredTable[]
  readonly linkTypes: readonly LinkTypeDefinition[]
  /** What was left out, and why. */
  readonly notes: readonly string[]
}

const DESCRIPTION_LENGTH = 10_000
const TITLES = ['name', 'title', 'label', 'display_name']

/** Returns why a table cannot be followed; undefined if it can. */
export function findObstacle(table: SourceTable): string | undefined {
  if (table.partitionOf !== undefined) {
    return `is a partition of ${table.partitionOf}; follow that table`
  }
  if (table.kind === 'view') return 'is a view; follow the tables that it reads'
  if (table.kind === 'foreign') return 'is a foreign table; follow it where its rows are stored'
  if (table.isUnlogged) {
    return `is unlogged, so PostgreSQL does not replicate it; run ALTER TABLE ${quotedName(table)} SET LOGGED`
  }
  if (table.key.length === 0) return 'has no primary key'
  // PostgreSQL would refuse every update of the table, because it cannot say which row was changed.
  if (table.isKeyDeferrable) return 'has a deferrable primary key; create it as NOT DEFERRABLE'
  if (!table.hasReplicaKey) {
    const which = table.kind === 'partitioned' ? ', or a partition that has one' : ''
    return `has a replica identity without its primary key${which}; set REPLICA IDENTITY DEFAULT`
  }
  const unfit = columnsOf(table, table.key).find((column) => {
    return column.isArray || column.isGenerated || columnType(column) === undefined
  })
  if (unfit !== undefined) {
    return `has a primary key of type ${typeText(unfit)}, which objects cannot have`
  }
  const properties = table.columns.length + (table.key.length > 1 ? 1 : 0)
  if (properties <= PROPERTIES_MAX) return undefined
  return `has ${table.columns.length} columns, and object types have at most ${PROPERTIES_MAX} properties`
}

/** The type of a column as people write it. */
function typeText({ typeName, isArray }: SourceColumn): string {
  return isArray ? `${typeName}[]` : typeName
}

/** Infers types for tables without obstacles. */
export function inferTables(
  tables: readonly SourceTable[],
  /** The API name of the type for a table. */
  nameOf: (table: SourceTable) => string,
): InferredTables {
  const notes: string[] = []
  const byOid = new Map(tables.map((table) => [table.oid, table]))
  const names = new Map(tables.map((table) => [table.oid, nameOf(table)]))
  const inferred = tables.map((table) =>
    inferTable(table, names.get(table.oid) ?? '', byOid, (note) =>
      notes.push(`${tableName(table)}: ${note}`),
    ),
  )
  const linkTypes = inferLinks(inferred, (table, note) =>
    notes.push(`${tableName(table)}: ${note}`),
  )
  return { tables: inferred, linkTypes, notes }
}

function inferTable(
  table: SourceTable,
  apiName: string,
  tables: ReadonlyMap<number, SourceTable>,
  note: (text: string) => void,
): InferredTable {
  const properties: Record<string, PropertyDefinition> = {}
  const propertyOf = new Map<string, string>()
  for (const column of table.columns) {
    if (column.isGenerated) {
      note(`column ${column.name} is left out: PostgreSQL does not replicate generated columns`)
      continue
    }
    const type = typeOfColumn(table, column, tables)
    if (type === undefined) {
      note(`column ${column.name} is left out: no property type holds ${typeText(column)}`)
      continue
    }
    const name = freeName(propertyNameOf(column.name), (taken) => Object.hasOwn(properties, taken))
    propertyOf.set(column.name, name)
    properties[name] = {
      ...type,
      ...(name !== column.name && { displayName: column.name }),
      ...describedAs(column.comment),
    }
  }
  const [first = ''] = table.key
  const isComposite = table.key.length > 1
  const primaryKey = isComposite
    ? freeName('key', (taken) => Object.hasOwn(properties, taken))
    : (propertyOf.get(first) ?? first)
  const title = TITLES.find((name) => properties[propertyOf.get(name) ?? '']?.type === 'string')
  const titleProperty = title && propertyOf.get(title)
  const definition: ObjectTypeDefinition = {
    apiName,
    ...(apiName !== table.name && { displayName: table.name }),
    ...describedAs(table.comment),
    primaryKey,
    ...(titleProperty !== undefined && { titleProperty }),
    properties: isComposite ? { [primaryKey]: compositeKey(table.key), ...properties } : properties,
  }
  return { table, definition, propertyOf }
}

function compositeKey(columns: readonly string[]): PropertyDefinition {
  return { type: 'string', description: `The primary key: ${columns.join(', ')}.` }
}

function describedAs(comment: string | undefined): { readonly description?: string } {
  return comment ? { description: comment.slice(0, DESCRIPTION_LENGTH) } : {}
}

/** A foreign key has the type of the primary key that it refers to, as links require. */
function typeOfColumn(
  table: SourceTable,
  column: SourceColumn,
  tables: ReadonlyMap<number, SourceTable>,
): ValueType | undefined {
  const type = table.key.join() === column.name ? keyType(column) : columnType(column)
  const reference = table.foreignKeys.find(({ columns }) => columns.join() === column.name)
  const target = reference && tables.get(reference.target)
  if (type === undefined || target === undefined || table.key.includes(column.name)) return type
  if (target.key.join() !== reference?.targetColumns.join()) return type
  const [key] = columnsOf(target, target.key)
  const wanted = key && keyType(key)
  return wanted !== undefined && canHold(wanted, type) ? wanted : type
}

function columnsOf(table: SourceTable, names: readonly string[]): readonly SourceColumn[] {
  return table.columns.filter(({ name }) => names.includes(name))
}

function inferLinks(
  inferred: readonly InferredTable[],
  note: (table: SourceTable, text: string) => void,
): readonly LinkTypeDefinition[] {
  const byOid = new Map(inferred.map((one) => [one.table.oid, one]))
  const sides = new Set<string>()
  const takeName = (objectType: string, ...wanted: readonly string[]): string => {
    const isTaken = (name: string) => sides.has(`${objectType}/${name}`)
    const name = wanted.find((one) => !isTaken(one)) ?? freeName(wanted.at(-1) ?? '', isTaken)
    sides.add(`${objectType}/${name}`)
    return name
  }
  return inferred.flatMap(({ table, definition: from, propertyOf }) =>
    table.foreignKeys.flatMap(({ columns, target, targetColumns }) => {
      const to = byOid.get(target)
      const [column = ''] = columns
      const foreignKey = propertyOf.get(column) ?? ''
      if (to === undefined) {
        note(table, `foreign key ${columns.join(', ')} refers to a table that is not synchronised`)
        return []
      }
      const key = to.definition.properties[to.definition.primaryKey]
      if (
        columns.length > 1 ||
        to.table.key.join() !== targetColumns.join() ||
        from.properties[foreignKey]?.type !== key?.type
      ) {
        const name = columns.join(', ')
        note(table, `foreign key ${name} is not a link: it does not hold the key of an object`)
        return []
      }
      const base = column.replace(/_?id$/i, '') || to.definition.apiName
      const isProperty = Object.hasOwn(from.properties, propertyNameOf(base))
      const apiName = takeName(
        from.apiName,
        isProperty ? to.definition.apiName : propertyNameOf(base),
      )
      const reverseApiName = takeName(
        to.definition.apiName,
        from.apiName,
        camelName([...wordsOf(from.apiName), 'by', ...wordsOf(apiName)]),
      )
      const ends = { from: from.apiName, to: to.definition.apiName, foreignKey }
      return [{ apiName, reverseApiName, ...ends }]
    }),
  )
}
