/** The jobs of the writer thread that build tables, each in a transaction. */
import { rewriteNext } from '../../core/changes/change-step.ts'
import { buildNamed, type OperationMessage } from '../../core/named-operations.ts'
import { type Operation, runNow, settled } from '../../core/session/operation.ts'
import { RolledBack, type TableBuilder } from '../../core/tables/construction.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { SqliteTableBuilder } from './sqlite-table-builder.ts'

function build<Result>(
  db: WriterDatabase,
  run: (builder: TableBuilder) => Operation<Result>,
): Result {
  return inTransaction(db, 'write', () => runNow(run(new SqliteTableBuilder(db))))
}

/** Runs the operation of a name, see `TableBuilding`. */
export function runBuild(db: WriterDatabase, message: OperationMessage): unknown {
  try {
    return build(db, (builder) => buildNamed(builder, message))
  } catch (error) {
    return RolledBack.resultOf(error)
  }
}

/** Takes a step of a change in the background. Returns undefined if there is nothing to do. */
export function rewriteStep(db: WriterDatabase, _: undefined): RewriteProgress | undefined {
  const { session: reading, converters } = db
  return runNow(rewriteNext({ reading, converters, write: (_, run) => settled(build(db, run)) }))
}
