/** Rewrites types in the background. Any node can take the next step. */
import type { LRUCache } from 'lru-cache'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { changeStep, rewriteNext } from '../../core/changes/change-step.ts'
import type { RewritingStore } from '../../core/changes/publish-change.ts'
import { awaited, type ReadSession } from '../../core/session/session.ts'
import { type RunningChange, readDefinitionChange } from '../../core/tables/definition-changes.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { TypeConverter } from '../../sql/stored-change.ts'
import { type PostgresContext, waitUntil, writeInTurn } from '../citus/pending-commit.ts'
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
  return readIn(context.database, (reading) => rewriteNext(rewritingStore(context, reading)))
}

function rewritingStore(context: RewritingContext, reading: ReadSession): RewritingStore {
  return {
    reading,
    converters: context.converters,
    write: (key, run) =>
      awaited(writeInTurn(context, { key }, (session) => buildIn(context, session, run))),
  }
}

/**
 * Publishes a change whose objects are converted, but could not be published in the same transaction.
 * Another node may do so at the same time. Throws if the change has failed.
 */
export async function finishChange(
  context: RewritingContext,
  change: RunningChange,
): Promise<void> {
  if (!context.capabilities.needsSeparatePublication) return
  await waitUntil('the definition is saved once its objects can be published', () =>
    readIn(context.database, function* (reading) {
      const store = rewritingStore(context, reading)
      for (;;) {
        const last = yield* readDefinitionChange(reading, change.ontologyRid)
        if (last?.id !== change.id || last.state === 'published') return true
        if (last.state === 'running') {
          if ((yield* changeStep(store, change)) === undefined) return false
          continue
        }
        const { reasons, unfitObjects } = last
        throw new ObjectQueryError('OntologyChangeRefused', { reasons, unfitObjects })
      }
    }),
  )
}
