/** Reads the records of listed rows, in the order of the list and as far as they fit. */
import type { RecordSpec, StoredPage } from '../../object-store.ts'
import { ownBytes } from '../../page-cache.ts'
import { type ByteBudget, countFitting } from '../../sql/plan/plan-rules.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { type ListedRows, listedRecordsKey, listedRecordsSql, listedSizesSql } from './page-sql.ts'

export interface RowList extends ListedRows {
  readonly list: readonly (string | number)[]
  /** The values of the visibility's placeholders; none for row ids. */
  readonly rowValues: readonly number[]
  readonly record: RecordSpec
  readonly budget: ByteBudget | undefined
  readonly includeRowIds: boolean
}

type ListedPage = Pick<StoredPage, 'records' | 'release' | 'count' | 'last' | 'rowIds'>

/** Returns undefined if a listed row does not exist. */
export function readListed(statements: StatementCache, rows: RowList): ListedPage | undefined {
  const { list, rowValues, record, budget, includeRowIds } = rows
  const fitting = countFitting(budget, list.length, () =>
    statements.prepare(listedSizesSql(rows)).iterate(JSON.stringify(list), ...rowValues),
  )
  if (fitting.isEnd) return undefined
  const { statement, values } = statements.prepareByKey(
    listedRecordsKey(rows, record, includeRowIds),
    () => listedRecordsSql(rows, record, includeRowIds),
  )
  const listed = JSON.stringify(list.slice(0, fitting.count))
  const row = statement.get(...values, listed, ...rowValues)
  const [records, count, pk, version, , rowIds] = row as unknown as ListedRecords
  if (count !== fitting.count) return undefined
  const last = pk === null || version === null ? undefined : { pk, version }
  return { ...ownBytes(records), count, last, rowIds: rowIds ?? undefined }
}

/** The columns of `listedRecordsSql`. */
type ListedRecords = readonly [
  records: Uint8Array | null,
  count: number,
  lastKey: string | null,
  lastVersion: number | null,
  lastPosition: number | null,
  rowIds?: string | null,
]
