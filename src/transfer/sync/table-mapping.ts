/** Turns the rows of a table into objects of its type. */
import { ownValue } from '../../formats/row.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { PrimaryKeyType } from '../../ontology/definition/property-type.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { canHold, columnType, keyType, type ReadValue, valueReader } from './column-types.ts'
import type { InferredTable } from './infer-tables.ts'
import { parseLsn } from './lsn.ts'
import type { SourceRow, SourceValue } from './pgoutput.ts'
import { type SourceColumn, type SourceTable, tableName } from './source-tables.ts'
import { recordOf } from './table-record.ts'

export interface TableMapping {
  readonly table: SourceTable
  readonly objectType: string
  readonly primaryKey: string
  readonly keyType: PrimaryKeyType
  readonly columns: readonly MappedColumn[]
  /** All names of columns that the stream can have. */
  readonly knownNames: ReadonlySet<string>
  /** Changes that were committed before this position are part of the copy. */
  readonly copiedAt: bigint
}

interface MappedColumn {
  readonly name: string
  /** Its names since the last copy, the current one last. */
  readonly names: readonly string[]
  readonly typeOid: number
  readonly property: string
  readonly read: ReadValue
}

/** Maps the columns of a table to the properties of a type that exists; throws if one does not fit. */
export function mapTable(
  { table, definition, propertyOf }: InferredTable,
  type: ObjectTypeDefinition,
  note: (text: string) => void,
  record = recordOf(table, type.apiName),
): TableMapping {
  const { apiName: objectType, primaryKey, properties } = type
  const name = tableName(table)
  if (primaryKey !== definition.primaryKey) {
    const wanted = `the primary key of ${name} is ${definition.primaryKey}`
    throw new Error(
      `The primary key of ${objectType} is ${primaryKey}, but ${wanted}. Use another --type.`,
    )
  }
  const storedKeyType = properties[primaryKey]?.type as PrimaryKeyType
  if (table.key.length > 1 && storedKeyType !== 'string') {
    throw new Error(
      `The primary key of ${name} has several columns, so ${primaryKey} of ${objectType} must be a string. Use another --type.`,
    )
  }
  const namesOf = ({ number, name: current }: SourceColumn) => [
    ...(record.columns[number]?.names ?? []),
    current,
  ]
  const columns = table.columns.flatMap((column): MappedColumn[] => {
    const property = propertyOf.get(column.name)
    const found = property === undefined ? undefined : ownValue(properties, property)
    if (property === undefined) return []
    if (found === undefined) {
      note(`${name}: column ${column.name} is left out: ${objectType} has no property ${property}`)
      return []
    }
    const wanted = property === primaryKey ? keyType(column) : columnType(column)
    if (wanted === undefined || !canHold(found, wanted)) {
      throw new Error(
        `The property ${property} of ${objectType} has type ${found.type}, which cannot hold column ${column.name} of ${name} (${column.typeName}). Change the property, or follow the table alone with another --type.`,
      )
    }
    const names = namesOf(column)
    const read = valueReader(found)
    return [{ name: column.name, names, typeOid: column.typeOid, property, read }]
  })
  const mapped = new Set(columns.map(({ property }) => property))
  const extra = Object.keys(properties).filter((one) => !mapped.has(one) && one !== primaryKey)
  if (extra.length > 0) note(`${name}: no column for ${extra.join(', ')} of ${objectType}`)
  const knownNames = new Set(table.columns.flatMap(namesOf))
  const copiedAt = parseLsn(record.copiedAt ?? '0/0')
  return { table, objectType, primaryKey, keyType: storedKeyType, columns, knownNames, copiedAt }
}

/** An object that a row describes. */
export interface RowObject {
  readonly key: RowKey
  readonly properties: Record<string, unknown>
  /** Properties whose values did not change and are not part of the row. */
  readonly unchanged: readonly string[]
}

export interface RowKey {
  /** The primary key as JSON has it. */
  readonly value: unknown
  /** The same for every spelling of a key. */
  readonly text: string
}

/** Both return undefined for a row whose key no object can have: it has no object. */
export interface RowReader {
  read(row: SourceRow): RowObject | undefined
  keyOf(row: SourceRow): RowKey | undefined
}

/** Called with what is left out. */
export interface UnfitReporter {
  onValue(column: string, key: RowKey): void
  /** The reason completes a sentence about the key: `is empty`. */
  onKey(reason: string): void
}

/** Creates a reader for rows with these columns. */
export function rowReader(
  mapping: TableMapping,
  columnNames: readonly string[],
  unfit: UnfitReporter,
): RowReader {
  const { table, primaryKey, keyType: storedKeyType } = mapping
  const positionOf = (names: readonly string[]) =>
    names.map((name) => columnNames.indexOf(name)).findLast((at) => at !== -1) ?? -1
  const positions = mapping.columns
    .map((column) => ({ ...column, at: positionOf(column.names) }))
    // A change from before a column was added, or after it was dropped, has no value for it.
    .filter(({ at }) => at !== -1)
  const namesOf = new Map(mapping.columns.map(({ name, names }) => [name, names]))
  const keyPositions = table.key.map((name) => positionOf(namesOf.get(name) ?? [name]))
  const isComposite = keyPositions.length > 1
  const readKey = positions.find(({ property }) => property === primaryKey)?.read

  function keyOf(row: SourceRow, onUnfit?: (reason: string) => void): RowKey | undefined {
    const texts = keyPositions.map((at) => row[at])
    const value = isComposite ? joinKey(texts) : readKey?.(String(texts[0]))
    const flaw = findKeyFlaw(storedKeyType, value)
    if (flaw === undefined) return { value, text: keyText(value) }
    onUnfit?.(flaw)
    return undefined
  }

  return {
    keyOf: (row) => keyOf(row),
    read(row) {
      const key = keyOf(row, unfit.onKey)
      if (key === undefined) return undefined
      const properties: Record<string, unknown> = isComposite ? { [primaryKey]: key.value } : {}
      const unchanged: string[] = []
      for (const { at, property, name, read } of positions) {
        const text = row[at]
        if (text === undefined) unchanged.push(property)
        if (text === null || text === undefined) continue
        const value = read(text)
        if (value === undefined) unfit.onValue(name, key)
        else properties[property] = value
      }
      return { key, properties, unchanged }
    },
  }
}

/** Returns why no object can have this key; undefined if one can. */
function findKeyFlaw(type: PrimaryKeyType, value: unknown): string | undefined {
  if (value === undefined) return `is no ${type} that objects can have`
  try {
    readPrimaryKey(type, value)
    return undefined
  } catch (error) {
    if (error instanceof RefusedValue) return error.reason
    throw error
  }
}

/** Joins the values of a composite key by commas; commas within values are escaped. */
function joinKey(texts: readonly SourceValue[]): string {
  return texts.map((text) => String(text).replaceAll(/[\\,]/g, '\\$&')).join(',')
}

/** Returns the same text for a key of the source and for the one that the service returns. */
export function keyText(value: unknown): string {
  return String(value).replace(/(T[\d:]+)(?:\.0*|(\.\d*?[1-9])0*)Z$/, '$1$2Z')
}
