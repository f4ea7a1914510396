/**
 * The versions and tables of all types that a query reads: its own, and those that it links to; and the
 * rows that are visible at a version.
 */

import { linkedTypesOf } from '../../../query/query-tree.ts'
import type { TableReader } from '../../core/catalogue/find-table.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { ReadPageRequest, Reclaimed } from '../../object-store.ts'
import { readableVersion, type VersionState, type Visibility } from '../../sql/plan/plan-rules.ts'
import type { TypeGeneration } from '../catalogue/known-fields.ts'
import { VISIBLE_AT_VERSION } from '../catalogue/table-layout.ts'
import {
  readTypeHead,
  type TableHead,
  type TypeHead,
  tableOfVersion,
} from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'

/** The version of each type that a query reads, by RID. */
export type TypeVersions = ReadonlyMap<string, TypeVersion>

export interface TypeVersion extends VersionState<TableHead>, TypeGeneration {}

type VersionedRequest = Pick<ReadPageRequest, 'query' | 'objectType'> &
  Partial<Pick<ReadPageRequest, 'version' | 'linkedVersions'>>

/** Reads the versions of a request, or the latest where it names none. */
export function readVersions(
  statements: StatementCache,
  { query, objectType, version, linkedVersions }: VersionedRequest,
  head: TypeHead,
  toleratesOldDefinition = false,
): TypeVersions | Reclaimed {
  const own = typeVersion(statements, head, version, { objectType, toleratesOldDefinition })
  if (own === undefined) return 'reclaimed'
  const versions = new Map([[objectType.rid, own]])
  for (const [index, type] of linkedTypesOf(query, objectType).entries()) {
    const linkedHead = readTypeHead(statements, type)
    const linked = typeVersion(statements, linkedHead, linkedVersions?.[index], {
      objectType: type,
    })
    if (linked === undefined) return 'reclaimed'
    versions.set(type.rid, linked)
  }
  return versions
}

function typeVersion(
  statements: StatementCache,
  head: TypeHead,
  requested: number | undefined,
  reader: TableReader,
): TypeVersion | undefined {
  const version = readableVersion({ version: requested }, head)
  if (version === undefined) return undefined
  const table = tableOfVersion(statements, head, version, reader)
  const { generation, typeId, published } = head
  // While a write is unfinished, current rows are not those of the latest version.
  const isLatest = version === published && table.stagedCount === undefined
  return { generation, typeId, version, isLatest, table }
}

/** Returns the values of a visibility's placeholders. */
export function visibilityValues(visibility: Visibility, version: number): readonly number[] {
  return visibility === 'current' ? [] : [version, version]
}

export const VISIBLE: Readonly<Record<Visibility, string>> = {
  current: `valid_to = ${NEVER_CLOSED}`,
  version: VISIBLE_AT_VERSION,
}

/** The addition stops SQLite from preparing the statement again for each value of the limit. */
export const LIMIT = 'LIMIT ? + 0'
