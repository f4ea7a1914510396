/** What the SQL of a query needs to know about its object type, and about those that it links to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { hasLink, linkedTypesOf } from '../../../query/query-tree.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { ReadPageRequest, Reclaimed } from '../../object-store.ts'
import { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import type { PropertySql } from '../../sql/compile/property-sql.ts'
import type { QueriedType } from '../../sql/compile/query-fields.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { readableVersion, type Visibility } from '../../sql/plan/plan-rules.ts'
import type { FindSimilarTerms } from '../../sql/text/similar-terms.ts'
import type { ColumnType } from '../catalogue/column-codec.ts'
import { elementColumnOf, type FieldColumns, readFieldColumns } from '../catalogue/field-columns.ts'
import {
  findTableOfVersion,
  findTypeHead,
  type TableHead,
  type TypeHead,
} from '../catalogue/type-head.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { Session } from '../driver/database.ts'

/** The fields of a type, as one of its tables stores them. */
export type TypeFields = QueriedType<FieldNumbers<ColumnType>>

export interface QueryTables extends TypeFields {
  readonly similarTerms: FindSimilarTerms
  readonly links: LinkedTables
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The tables of the types that a query links to. */
export interface LinkedTables {
  /** By RID; undefined for a table that is not created yet. */
  readonly tables: ReadonlyMap<string, LinkedTable | undefined>
  /** Whether linked rows are gathered first: Citus cannot look them up on other machines. */
  readonly isGathered: boolean
  /** The versions of the linked types, in the order of `linkedTypesOf`. */
  readonly versions: readonly number[]
}

/** The table of a linked type, as of the version that the page reads. */
interface LinkedTable extends TypeFields {
  readonly table: number
  readonly visible: SqlCondition
}

export const NO_LINKS: LinkedTables = { tables: new Map(), isGathered: false, versions: [] }

type TypeState = Pick<TypeHead, 'typeId' | 'generation' | 'longFields'>

interface CachedFields extends TypeState {
  readonly columns: readonly FieldColumns[]
  /** By the fields whose index holds only the beginning of their texts. */
  readonly fields: Map<string, TypeFields>
}

/**
 * Caches the fields of each type. They change only with its definition, and when a field gets its
 * first long text; a lookup is a round trip to the database for every page of a query.
 */
export class TypeFieldsCache {
  readonly #types = new WeakMap<ObjectType, CachedFields>()

  /** Returns the fields of a type if they are cached for this head. */
  find(
    head: TypeState,
    objectType: ObjectType,
    table: Pick<TableHead, 'prefixFields'>,
  ): TypeFields | undefined {
    const cached = this.#types.get(objectType)
    const isCurrent =
      cached?.typeId === head.typeId &&
      cached.generation === head.generation &&
      cached.longFields === head.longFields
    return isCurrent ? fieldsOfTable(cached, objectType, table) : undefined
  }

  /** Returns the fields of a type. Must be called in the transaction that read the head. */
  async read(
    session: Session,
    head: TypeState,
    objectType: ObjectType,
    table: Pick<TableHead, 'prefixFields'>,
  ): Promise<TypeFields> {
    const found = this.find(head, objectType, table)
    if (found !== undefined) return found
    const { typeId, generation, longFields } = head
    const columns = await readFieldColumns(session, typeId)
    const cached = { typeId, generation, longFields, columns, fields: new Map() }
    this.#types.set(objectType, cached)
    return fieldsOfTable(cached, objectType, table)
  }
}

function fieldsOfTable(
  { columns, fields }: CachedFields,
  objectType: ObjectType,
  { prefixFields }: Pick<TableHead, 'prefixFields'>,
): TypeFields {
  const key = [...prefixFields].join()
  const known = fields.get(key)
  if (known !== undefined) return known
  const ofTable = { objectType, numbers: new PostgresFieldNumbers(columns, { prefixFields }) }
  fields.set(key, ofTable)
  return ofTable
}

/** Returns the fields of a type as the database has them now. */
export async function readTypeFields(
  session: Session,
  typeId: number,
  objectType: ObjectType,
  { prefixFields }: Pick<TableHead, 'prefixFields'>,
): Promise<TypeFields> {
  const columns = await readFieldColumns(session, typeId)
  return { objectType, numbers: new PostgresFieldNumbers(columns, { prefixFields }) }
}

/** The index of long texts holds their beginning, not their end. */
class PostgresFieldNumbers extends FieldNumbers<ColumnType> {
  override propertySql(property: string, structField?: string): PropertySql {
    const { value, indexed, form } = super.propertySql(property, structField)
    return { value, indexed, form }
  }

  protected override leafSql({ number }: { readonly number: number }): string {
    return `o.${elementColumnOf(number)}[1]`
  }
}

export interface LinksStore {
  readonly capabilities: Pick<Capabilities, 'canReadCurrentRows' | 'isDistributed'>
  readonly fields: TypeFieldsCache
}

type LinkingRequest = Pick<ReadPageRequest, 'query' | 'objectType'> &
  Partial<Pick<ReadPageRequest, 'linkedVersions'>>

/**
 * Reads the tables of the linked types, as of the versions of the request or the latest. Must be
 * called in the transaction that read the head, whose version is that of the request's own type.
 */
export async function readLinkedTables(
  session: Session,
  { query, objectType, linkedVersions }: LinkingRequest,
  own: { readonly head: TypeHead; readonly version: number },
  store: LinksStore,
): Promise<LinkedTables | Reclaimed> {
  const { isDistributed: isGathered } = store.capabilities
  if (!hasLink(query)) return { ...NO_LINKS, isGathered }
  const tables = new Map<string, LinkedTable | undefined>()
  const versions: number[] = []
  tables.set(objectType.rid, await linkedTable(session, objectType, own, store))
  for (const [index, type] of linkedTypesOf(query, objectType).entries()) {
    const head = await findTypeHead(session, type)
    const version = readableVersion({ version: linkedVersions?.[index] }, head)
    if (version === undefined) return 'reclaimed'
    versions.push(version)
    tables.set(type.rid, await linkedTable(session, type, { head, version }, store))
  }
  return { tables, isGathered, versions }
}

async function linkedTable(
  session: Session,
  objectType: ObjectType,
  { head, version }: { readonly head: TypeHead; readonly version: number },
  { capabilities: { canReadCurrentRows }, fields }: LinksStore,
): Promise<LinkedTable | undefined> {
  const table = await findTableOfVersion(session, head, version, { objectType })
  if (!table.isCreated) return undefined
  const isCurrent = version === head.published && canReadCurrentRows
  return {
    ...(await fields.read(session, head, objectType, table)),
    table: table.table,
    visible: visibleSql(isCurrent ? 'current' : 'version', version),
  }
}

/** Selects the rows of a visibility. */
export function visibleSql(
  visibility: Visibility,
  version: number,
  { number } = PLAIN_VALUES,
): SqlCondition {
  return visibility === 'current'
    ? { sql: `o.valid_to = ${NEVER_CLOSED}`, values: [] }
    : {
        sql: `o.valid_from <= ${number} AND o.valid_to > ${number}`,
        values: [version, version],
      }
}

/** The database sees the bound values, and plans for them. */
export const PLAIN_VALUES = { number: '?', text: '?' }

/**
 * The database does not see the values, so one plan serves them all: planning takes as long as
 * reading a small page. It then assumes that a few rows in a hundred match.
 */
export const HIDDEN_VALUES = { number: '(SELECT ?::bigint)', text: '(SELECT ?::text)' }
