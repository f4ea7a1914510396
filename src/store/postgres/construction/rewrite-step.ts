/** Rewrites types in the background. Any node can take the next step. */
import type { LRUCache } from 'lru-cache'
import { rewriteNext } from '../../core/changes/change-step.ts'
import { awaited } from '../../core/session/session.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { TypeConverter } from '../../sql/stored-change.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import { readIn } from '../driver/postgres-session.ts'
import { buildIn } from './postgres-table-builder.ts'

interface RewritingContext extends PostgresContext {
  /** How objects are read or converted, by change and type. */
  readonly converters: LRUCache<string, TypeConverter>
}

/** Takes one step, and returns the progress; undefined if there is nothing that this node can do. */
export function rewriteInBackground(
  context: RewritingContext,
): Promise<RewriteProgress | undefined> {
  const { database, capabilities, converters } = context
  return readIn(database, (reading) =>
    rewriteNext({
      reading,
      converters,
      write: (key, run) =>
        awaited(writeInTurn(context, { key }, (session) => buildIn(session, capabilities, run))),
    }),
  )
}
