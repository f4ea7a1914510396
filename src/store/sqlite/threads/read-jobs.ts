/** The jobs of a reader process: every query that may be slow. */

import { readDefinition } from '../../core/definitions/ontology-rows.ts'
import { type OperationMessage, readNamed } from '../../core/named-operations.ts'
import { runNow } from '../../core/session/session.ts'
import { readTried } from '../../core/tables/read-objects.ts'
import type { ReadPageRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ReadSetPageRequest,
  StoredSetPage,
} from '../../port/pages.ts'
import { definitionOutOfSync } from '../../sql/plan-types.ts'
import { decodeChange, type TypeConverter, typeConverter } from '../../sql/stored-change.ts'
import { type NextObjects, StepTrial, type TriedStep } from '../../sql/try-objects.ts'
import { checkNextRows, findProblem, prepareChecks, tablesToCheck } from '../file/check-table.ts'
import { runIn } from '../file/sqlite-session.ts'
import { readPage } from '../pages/read-page.ts'
import { readSetPage } from '../pages/sqlite-set-reader.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { aggregate } from '../queries/sqlite-aggregator.ts'
import { findTypes } from '../queries/sqlite-type-searcher.ts'
import { findRowsToDelete } from '../writes/delete-matches.ts'
import { currentRows } from '../writes/staged-record.ts'
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
  runOperation: ({ session }: ReadConnection, message: OperationMessage): unknown =>
    runNow(readNamed(session, message)),
  tryNextObjects,
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

/** What is read in one step, which takes about half a second. */
const PORTION = { objects: 50_000, bytes: 32_000_000 } as const

interface TryStepRequest extends NextObjects {
  readonly changeId: string
  /** The change as JSON, see `encodeChange`. */
  readonly change: string
  /** The catalogue generation against which the change was checked. */
  readonly basedOn: number
}

/** Converts the objects of a type that follow a key, up to the size of a step. */
function tryNextObjects(reading: ReadConnection, request: TryStepRequest): TriedStep {
  return inReadTransaction(reading, () => {
    const { rows, isLast } = runIn(reading, (session) =>
      readTried(session, {
        ...request,
        portion: PORTION,
        currentRows: (typeId) => currentRows(session, typeId),
      }),
    )
    const trial = new StepTrial(converterOf(reading, request), request.after)
    for (const { pk, key, body } of rows) trial.add(pk, key, body)
    return trial.end(isLast)
  })
}

function converterOf(
  reading: ReadConnection,
  { changeId, change, typeRid }: TryStepRequest,
): TypeConverter {
  const name = `${changeId} ${typeRid}`
  const known = reading.converters.get(name)
  if (known !== undefined) return known
  const plan = decodeChange(change)
  const before = runIn(reading, (session) => readDefinition(session, plan.definition.rid ?? ''))
  if (before === undefined) throw definitionOutOfSync()
  const converter = typeConverter(before, plan, typeRid)
  reading.converters.set(name, converter)
  return converter
}
