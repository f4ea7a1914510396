/** The writer thread's side of rewrites: one step in a short transaction. */
import { rewriteNext } from '../../core/changes/rewrite-next.ts'
import type { RewritingStore } from '../../core/changes/rewriting-store.ts'
import { runNow, settled } from '../../core/session/operation.ts'
import { cancelChange } from '../../core/tables/definition-changes.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { definitionTables } from './definition-jobs.ts'
import { SqliteTableBuilder } from './sqlite-table-builder.ts'

/** Runs one step. Returns undefined if there is nothing to rewrite. */
export function rewriteStep(db: WriterDatabase): RewriteProgress | undefined {
  const store: RewritingStore = {
    reading: db.session,
    converters: db.converters,
    write: (_, run) =>
      settled(
        inTransaction(db, 'write', () =>
          runNow(run(new SqliteTableBuilder(db), definitionTables(db))),
        ),
      ),
    recoverTransactions: () => settled(undefined),
  }
  return runNow(rewriteNext(store))
}

/** Cancels the change of an ontology if it is running, and returns whether it was. */
export function cancelDefinitionChange(db: WriterDatabase, ontologyRid: string): boolean {
  return inTransaction(db, 'write', () =>
    runIn(db, (session) => cancelChange(session, ontologyRid)),
  )
}
