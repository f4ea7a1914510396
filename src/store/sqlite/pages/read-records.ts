/** Reads the records of known keys: a page that was found by other means. */
import type { ReadRecordsRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { ownBytes } from '../../page-cache.ts'
import { ReadTimer, type RequestContext, withReport } from '../../port/request-context.ts'
import { byteBudget } from '../../sql/plan/plan-rules.ts'
import { type TypeVersion, typeVersion, visibilityValues } from '../catalogue/type-head.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { readListed } from './read-listed.ts'

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
    return withReport(readKeys(connection, request, version), timer, 'keyList')
  })
}

function readKeys(
  { statements }: ReadConnection,
  request: ReadRecordsRequest,
  { version, isLatest, table }: TypeVersion,
): StoredPage | Reclaimed {
  const { keys, record, maxObjects, includeRowIds = false } = request
  const list = keys.slice(0, maxObjects)
  if (list.length > 0 && !table.isCreated) return 'reclaimed'
  const by = isLatest ? 'current' : 'version'
  const page =
    list.length === 0
      ? { ...ownBytes(null), count: 0, last: undefined }
      : readListed(statements, {
          table: table.table,
          by,
          list,
          rowValues: visibilityValues(by, version),
          record,
          budget: byteBudget(request, table),
          includeRowIds,
        })
  if (page === undefined) return 'reclaimed'
  const more = page.count < keys.length
  return { ...page, more, version, totalCount: undefined, matchEstimate: undefined }
}
