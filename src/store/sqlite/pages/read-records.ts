/** Reads the records of known keys: a page that was found by other means. */
import type { ReadRecordsRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { ReadTimer, type RequestContext, withReport } from '../../port/request-context.ts'
import { byteBudget } from '../../sql/plan/plan-rules.ts'
import { type TypeVersion, typeVersion, visibilityValues } from '../catalogue/type-head.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { type ListedRows, listedRecordsKey, listedRecordsSql, listedSizesSql } from './page-sql.ts'
import { countFitting, pageBytes } from './read-page.ts'

/** Reads the records on the main thread: each key is one lookup in an index. */
export function readRecords(
  connection: ReadConnection,
  request: ReadRecordsRequest,
  context: RequestContext,
): StoredPage | Reclaimed {
  const { objectType, isOfDefinition } = request
  const timer = new ReadTimer()
  return inReadTransaction(connection, () => {
    const head = connection.heads.read(objectType)
    context.cachedIdentity?.verify({ catalogue: head.generation })
    const version = typeVersion(connection.statements, head, request.version, {
      objectType,
      toleratesOldDefinition: isOfDefinition !== true,
    })
    if (version === undefined) return 'reclaimed'
    timer.planned()
    return withReport(readListed(connection, request, version), timer, 'keyList')
  })
}

function readListed(
  { statements }: ReadConnection,
  request: ReadRecordsRequest,
  { version, isLatest, table }: TypeVersion,
): StoredPage | Reclaimed {
  const { keys, record, maxObjects, includeRowIds = false } = request
  const candidates = keys.slice(0, maxObjects)
  if (candidates.length === 0) return listedPage(request, version, NO_RECORDS, undefined)
  if (!table.isCreated) return 'reclaimed'
  const visibility = isLatest ? 'current' : 'version'
  const rows: ListedRows = { table: table.table, visibility }
  const rowValues = visibilityValues(visibility, version)
  const fitting = countFitting(byteBudget(request, table), candidates.length, () =>
    statements.prepare(listedSizesSql(rows)).iterate(JSON.stringify(candidates), ...rowValues),
  )
  if (fitting.isEnd) return 'reclaimed'
  const listed = candidates.slice(0, fitting.count)
  const { statement, values } = statements.prepareByKey(
    listedRecordsKey(rows, record, includeRowIds),
    () => listedRecordsSql(rows, record, includeRowIds),
  )
  const row = statement.get(...values, JSON.stringify(listed), ...rowValues)
  const found = row as unknown as ListedRecords
  if (found[1] !== listed.length) return 'reclaimed'
  return listedPage(request, version, found, listed.at(-1))
}

type ListedRecords = readonly [
  records: Uint8Array | null,
  count: number,
  lastVersion: number,
  lastPosition: number,
  rowIds?: string,
]

const NO_RECORDS: ListedRecords = [null, 0, 0, 0]

function listedPage(
  { keys }: ReadRecordsRequest,
  version: number,
  [records, count, lastVersion, , rowIds]: ListedRecords,
  lastKey: string | undefined,
): StoredPage {
  return {
    ...pageBytes(records),
    count,
    last: lastKey === undefined ? undefined : { pk: lastKey, version: lastVersion },
    more: count < keys.length,
    version,
    totalCount: undefined,
    rowIds,
    matchEstimate: undefined,
  }
}
