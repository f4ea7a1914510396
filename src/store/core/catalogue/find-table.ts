/** Finds the tables that hold earlier versions of an object type. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { redefinedSince, refuseOtherDefinition } from '../../sql/redefined-type.ts'
import type { TableHead, TypeHead } from '../../sql/type-head.ts'
import type { Operation } from '../session/operation.ts'

/** The request that reads a table. */
export interface TableReader {
  readonly objectType: ObjectType
  /** Whether the request reads all objects of one type in key order. */
  readonly toleratesOldDefinition?: boolean
}

interface HeadOf<Table extends TableHead> extends TypeHead {
  readonly current: Table
}

/** Reads the first table of `oqs_object_table AS o` that a condition and an order select. */
export type FindTable<Table> = (
  sql: string,
  values: readonly number[],
) => Operation<Table | undefined>

const IS_OF_TYPE = `o.object_type_id = ? AND o.state = 'published'`

/**
 * Returns the table of a version: the current one, or one that was replaced. Throws if it has another
 * definition than the request, unless the request walks over all objects in key order.
 */
export function* tableOfVersion<Table extends TableHead>(
  find: FindTable<Table>,
  { typeId, current, redefined }: HeadOf<Table>,
  version: number,
  { objectType, toleratesOldDefinition = false }: TableReader,
): Operation<Table> {
  const sql = `${IS_OF_TYPE} AND o.first_version <= ? ORDER BY o.first_version DESC`
  const table = version >= current.firstVersion ? current : yield* find(sql, [typeId, version])
  if (table === undefined) throw new Error(`no table holds version ${version}`)
  refuseOtherDefinition(redefined, table.table, objectType, toleratesOldDefinition)
  return table
}

/**
 * Returns the table of a row that a commit wrote; undefined if the table was dropped. Throws if the
 * values of the row have the form of an earlier definition.
 */
export function* tableOfRow<Table extends TableHead>(
  find: FindTable<Table>,
  { typeId, current, redefined }: HeadOf<Table>,
  version: number,
  objectType: ObjectType,
): Operation<Table | undefined> {
  const isCurrent = version >= current.firstVersion || version === current.loadedAs
  const sql = `${IS_OF_TYPE} AND (o.loaded_as = ? OR o.first_version <= ?)
    ORDER BY o.loaded_as = ? DESC, o.first_version DESC`
  const table = isCurrent ? current : yield* find(sql, [typeId, version, version, version])
  if (table !== undefined && table.table < redefined.table) throw redefinedSince(objectType)
  return table
}
