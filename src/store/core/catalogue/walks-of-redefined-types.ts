/**
 * Finds the table that holds a version of a type, which may have been replaced or redefined since a walk
 * began, and refuses a request that does not fit the definition of its objects.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { typeOutOfSync } from '../../batch-rules.ts'
import type { Redefinition, TableHead, TypeHead } from '../../sql/type-head.ts'
import type { Operation } from '../session/session.ts'

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

/** True if a request was parsed with an older definition than that of the newest objects. */
export function isOutdated(redefined: Redefinition, { definedIn }: ObjectType): boolean {
  return definedIn !== undefined && definedIn < redefined.generation
}

/**
 * Throws if the names and values of a request may not be those of a table. A walk over all objects
 * in key order depends on neither, so it can continue in a table of the earlier definition.
 */
function refuseOtherDefinition(
  redefined: Redefinition,
  table: number,
  objectType: ObjectType,
  toleratesOldDefinition: boolean,
): void {
  if (table >= redefined.table) {
    if (isOutdated(redefined, objectType)) throw typeOutOfSync(objectType.rid)
  } else if (!toleratesOldDefinition) throw redefinedSince(objectType)
}

/** The error for a walk that began before the change, and that depends on property values. */
function redefinedSince({ apiName }: Pick<ObjectType, 'apiName'>): ObjectQueryError {
  return new ObjectQueryError('InvalidPageToken', { reason: 'redefined', objectType: apiName })
}
