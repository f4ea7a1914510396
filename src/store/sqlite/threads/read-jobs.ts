/** The jobs of a reader process: every query that may be slow. */

import { type OperationMessage, readNamed } from '../../core/named-operations.ts'
import { runNow } from '../../core/session/session.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ReadSetPageRequest,
  StoredSetPage,
} from '../../port/pages.ts'
import { checkNextRows, findProblem, prepareChecks, tablesToCheck } from '../file/check-table.ts'
import { readPage } from '../pages/read-page.ts'
import { readSetPage } from '../pages/sqlite-set-reader.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { aggregate } from '../queries/sqlite-aggregator.ts'
import { findTypes } from '../queries/sqlite-type-searcher.ts'
import { findRowsToDelete } from '../writes/delete-matches.ts'
import type { Jobs } from './thread-jobs.ts'

export const READ_JOBS = {
  readPage: (reading: ReadConnection, request: ReadPageRequest): BarePage | Reclaimed => {
    const page = readPage(reading, request)
    if (page === 'reclaimed') return page
    // A function cannot be sent to another process; the receiver creates its own.
    const { release: _, ...bare } = page
    return bare
  },
  readSetPage: (
    reading: ReadConnection,
    request: ReadSetPageRequest,
  ): Omit<StoredSetPage, 'release'> | Reclaimed => {
    const page = readSetPage(reading, request)
    if (page === 'reclaimed') return page
    const { release: _, ...bare } = page
    return bare
  },
  aggregate: (reading: ReadConnection, request: AggregateRequest): AggregateResult | Reclaimed =>
    aggregate(reading, request),
  findTypes,
  findRowsToDelete,
  /** Runs a query that both stores share. */
  runOperation: (connection: ReadConnection, message: OperationMessage): unknown =>
    inReadTransaction(connection, () => runNow(readNamed(connection.session, message))),
  /** Makes a process one that only checks tables, and returns their names. */
  prepareChecks: ({ db }: ReadConnection, _: undefined): readonly string[] => {
    prepareChecks(db)
    return tablesToCheck(db)
  },
  findProblem: ({ db }: ReadConnection, table: string) => findProblem(db, table),
  checkNextRows: ({ db }: ReadConnection, { table, after }: { table: string; after: number }) =>
    checkNextRows(db, table, after),
} as const satisfies Jobs

export type ReadJobs = typeof READ_JOBS
export type BarePage = Omit<StoredPage, 'release'>
