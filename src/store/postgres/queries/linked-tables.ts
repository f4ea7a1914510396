/** The versions and tables of the types that a query links to. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { hasLink, linkedTypesOf } from '../../../query/linked-types.ts'
import type { ReadPageRequest, Reclaimed } from '../../object-store.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { findTableOfVersion, findTypeHead, type TypeHead } from '../catalogue/type-head.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { Session } from '../driver/database.ts'
import { type LinkedTable, type LinkedTables, NO_LINKS } from './query-tables.ts'
import type { TypeFieldsCache } from './type-fields.ts'
import { visibleSql } from './visible-sql.ts'

export interface LinksStore {
  readonly capabilities: Pick<Capabilities, 'canReadCurrentRows' | 'isDistributed'>
  readonly fields: TypeFieldsCache
}

interface Links extends LinkedTables {
  /** The versions of the linked types, in the order of `linkedTypesOf`. */
  readonly versions: readonly number[]
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
): Promise<Links | Reclaimed> {
  const { isDistributed: isGathered } = store.capabilities
  if (!hasLink(query)) return { ...NO_LINKS, isGathered, versions: [] }
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
