/**
 * What a sync remembers of a table between its runs. Columns are known by their numbers, which stay
 * the same when they are renamed.
 */
import { type SourceColumn, type SourceTable, tableName } from './source-tables.ts'

export interface TableRecord {
  readonly name: string
  /** The object type, which keeps its name when the table is renamed. */
  readonly type: string
  /** The partitions by their OIDs, with their files. */
  readonly partitions: Readonly<Record<string, number>>
  /** By the numbers of the columns. */
  readonly columns: Readonly<Record<string, ColumnRecord>>
  /** The numbers of the columns of the primary key. */
  readonly key: readonly number[]
  /** Whether the objects are not those of the table, so that it must be copied. */
  readonly mustCopy?: boolean
  /** Changes that were committed before this position are part of the copy. */
  readonly copiedAt?: string | undefined
}

/** By the OIDs of the tables. */
export type TableRecords = Readonly<Record<string, TableRecord>>

interface ColumnRecord {
  readonly typeOid: number
  /** All names since the last copy, the current one last: changes from before have the old ones. */
  readonly names: readonly string[]
}

/** Describes a table as it is now; columns keep the names that they had since the last copy. */
export function recordOf(table: SourceTable, type: string, earlier?: TableRecord): TableRecord {
  const columns = table.columns.map(({ number, name, typeOid }) => {
    const names = earlier?.columns[number]?.names ?? []
    return [number, { typeOid, names: [...names.filter((one) => one !== name), name] }] as const
  })
  return {
    name: tableName(table),
    type,
    partitions: Object.fromEntries(table.partitions.map(({ oid, file }) => [oid, file])),
    columns: Object.fromEntries(columns),
    key: keyNumbers(table),
    ...(earlier?.copiedAt !== undefined && { copiedAt: earlier.copiedAt }),
  }
}

function keyNumbers({ key, columns }: SourceTable): readonly number[] {
  return key.map((name) => columns.find((column) => column.name === name)?.number ?? 0)
}

/** Returns the columns that were added since the table was recorded. */
export function addedColumns(
  { columns }: SourceTable,
  record: TableRecord,
): readonly SourceColumn[] {
  return columns.filter(({ number }) => record.columns[number] === undefined)
}

/** Returns the table with the names that its columns had when it was recorded. */
export function asRecorded(table: SourceTable, record: TableRecord): SourceTable {
  const before = new Map(
    table.columns.map(({ name, number }) => [name, record.columns[number]?.names.at(-1) ?? name]),
  )
  const nameBefore = (name: string) => before.get(name) ?? name
  return {
    ...table,
    columns: table.columns.map((column) => ({ ...column, name: nameBefore(column.name) })),
    key: table.key.map(nameBefore),
    foreignKeys: table.foreignKeys.map((one) => ({ ...one, columns: one.columns.map(nameBefore) })),
  }
}

/**
 * Returns why the stream of changes does not lead from the objects to the table as it is now, so that
 * the table must be copied again; undefined if it does.
 */
export function findCopyReason(table: SourceTable, record: TableRecord): string | undefined {
  const { columns } = table
  const filled = addedColumns(table, record).find(({ isFilled }) => isFilled)
  if (filled !== undefined) return `the new column ${filled.name} has a default`
  const retyped = columns.find(({ number, typeOid }) => {
    const before = record.columns[number]
    return before !== undefined && before.typeOid !== typeOid
  })
  if (retyped !== undefined) return `the column ${retyped.name} has another type`
  if (keyNumbers(table).join() !== record.key.join()) return 'it has another primary key'
  const names = columns.flatMap(({ number, name }) => [
    ...new Set([...(record.columns[number]?.names ?? []), name]),
  ])
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated && `several columns had the name ${repeated}`
}

/** Returns what happened to the partitions of a table that was not replicated. */
export function findLostChange(
  { partitions }: SourceTable,
  record: TableRecord,
): string | undefined {
  const copied = record.partitions
  const files = new Map(partitions.map(({ oid, file }) => [String(oid), file]))
  const known = Object.entries(copied)
  if (known.some(([oid]) => !files.has(oid))) return 'dropped or detached'
  if (known.some(([oid, file]) => files.get(oid) !== file)) return 'truncated or rewritten'
  const isAttached = partitions.some((one) => one.isAttached && !Object.hasOwn(copied, one.oid))
  return isAttached ? 'attached' : undefined
}
