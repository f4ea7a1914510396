import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../contract/errors.ts'
import { bytesOfShape } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { PageRead, Reclaimed, StoredPage } from '../object-store.ts'
import { inTransaction } from './connection.ts'
import {
  followerSql,
  pageSql,
  recordSizesSql,
  type Visibility,
  visibilityValues,
} from './page-sql.ts'
import type { StatementCache } from './statement-cache.ts'

/**
 * Reads one page. All that it looks at (the newest version, the count, the rows, whether more
 * follow) is read in one transaction and therefore of one moment.
 */

/** Where an object type stands. */
interface Head {
  readonly table: number
  readonly published: number
  readonly oldest: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}

const HEAD_SQL =
  'SELECT id, published, oldest, live_count, max_record_bytes FROM object_type WHERE rid = ?'

const NOTHING = new Uint8Array(0)

export function readPage(
  db: DatabaseSync,
  statements: StatementCache,
  read: PageRead,
): StoredPage | Reclaimed {
  return inTransaction(db, 'read', () => {
    const head = readHead(statements, read.objectType)
    const version = read.version ?? head.published
    if (version < head.oldest) return 'reclaimed'
    return readRows(statements, read, head, version)
  })
}

function readHead(statements: StatementCache, type: ObjectType): Head {
  const row = statements.prepare(HEAD_SQL).get(type.rid) as number[] | undefined
  // Another process may have dropped the type since the catalogue was read.
  if (row === undefined)
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: type.apiName })
  const [table, published, oldest, liveCount, maxRecordBytes] = row as FiveNumbers
  return { table, published, oldest, liveCount, maxRecordBytes }
}

type FiveNumbers = [number, number, number, number, number]

function readRows(
  statements: StatementCache,
  read: PageRead,
  head: Head,
  version: number,
): StoredPage {
  // The newest version is what the current rows are, and these have an index of their own.
  const visibility: Visibility = version === head.published ? 'current' : 'version'
  const visible = visibilityValues(visibility, version)
  const after = read.after ?? ''

  const rows = rowsWithinBudget(statements, read, head, visibility, visible)
  const { sql, values } = pageSql(head.table, visibility, read.recordShape)
  const row = statements.prepare(sql).get(...values, ...visible, after, rows)
  const [records, lastKey, count] = row as unknown as [Uint8Array | null, string | null, number]

  // A page that is not full is the last one; behind a full one, one more row decides.
  const more =
    count === rows &&
    statements.prepare(followerSql(head.table, visibility)).get(...visible, lastKey ?? after, 1) !==
      undefined
  return {
    records: records ?? NOTHING,
    count,
    lastKey: lastKey ?? '',
    more,
    version,
    liveCount: head.liveCount,
  }
}

/** How many rows fit into the bytes of a page: all that are wanted, in all but rare cases. */
function rowsWithinBudget(
  statements: StatementCache,
  read: PageRead,
  head: Head,
  visibility: Visibility,
  visible: readonly number[],
): number {
  // The type's largest record is known, so for small objects there is nothing to measure.
  if (head.maxRecordBytes * read.maxObjects <= read.maxBytes) return read.maxObjects
  const shapeBytes = bytesOfShape(read.recordShape)
  let rows = 0
  let bytes = 0
  const sizes = statements
    .prepare(recordSizesSql(head.table, visibility))
    .iterate(...visible, read.after ?? '', read.maxObjects)
  for (const row of sizes) {
    bytes += Number((row as unknown as [number])[0]) + shapeBytes
    if (bytes > read.maxBytes) break
    rows += 1
  }
  // The first object is owed to the client, however large it is [2.1.3].
  return Math.max(rows, 1)
}
