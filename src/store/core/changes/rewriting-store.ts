/** A store as its background rewrites see it, and how they run a step. */
import type { LRUCache } from 'lru-cache'
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { TypeConverter } from '../../sql/stored-change.ts'
import type { LockedType, TypeLock } from '../commits/locked-type.ts'
import type { DefinitionTables } from '../definitions/save-ontology.ts'
import type { Operation } from '../session/operation.ts'
import type { ReadSession } from '../session/session.ts'
import { lockType, type TableBuilder } from '../tables/construction.ts'
import type { Copying } from '../tables/copying.ts'
import { copyingOf, isCurrent, listChanges, type StepOutcome } from '../tables/rewrite-table.ts'
import { countCopies, lockRewrite, type Rewrite } from '../tables/rewrites.ts'

export interface RewritingStore {
  /** Reads without a transaction of its own. */
  readonly reading: ReadSession
  /** How objects are read or converted, by change and type. */
  readonly converters: LRUCache<string, TypeConverter>
  /** Runs an operation in a transaction. Those with the same key take turns. */
  write<Result>(
    key: string,
    run: (builder: TableBuilder, tables: DefinitionTables) => Operation<Result>,
  ): Operation<Result>
  /** Ends transactions that only some machines have committed. */
  recoverTransactions(): Operation<void>
}

/** What is rewritten, and how. */
export interface RewriteSpec {
  readonly typeRid: string
  /** The change for which objects are converted; undefined for a new layout. */
  readonly changeId: string | undefined
  readonly conversion: (
    builder: TableBuilder,
    type: LockedType,
  ) => Operation<Pick<Copying, 'converter' | 'unfit'>>
  /** Called instead of the step if the objects were replaced or redefined, or the copies are behind. */
  readonly restart: (builder: TableBuilder, type: LockedType, rewrite: Rewrite) => Operation<void>
}

/** A step of a rewrite. The type and the rewrite are locked. */
export type Step = (
  builder: TableBuilder,
  copying: Copying,
  rewrite: Rewrite,
) => Operation<StepOutcome>

export interface StepResult {
  readonly progress: RewriteProgress
  readonly isReady: boolean
}

/** Runs a step in a transaction. Returns undefined if another node works on the type. */
export function* runStep(
  store: RewritingStore,
  spec: RewriteSpec,
  lock: TypeLock,
  step: Step,
): Operation<StepResult | undefined> {
  const { typeRid } = spec
  // With a key of its own: commits of the type need not wait until a step ends.
  return yield* store.write(`rewrite ${typeRid}`, function* (builder) {
    const type = yield* lockType(builder, typeRid, lock)
    if (type === undefined) return undefined
    const rewrite = yield* lockRewrite(builder.session, type.id)
    if (rewrite === undefined || rewrite === 'busy') return undefined
    if (rewrite.changeId !== spec.changeId) return undefined
    if (!isCurrent(rewrite, type) || !(yield* listChanges(builder, type, rewrite))) {
      const counts = yield* countCopies(builder.session, rewrite)
      yield* spec.restart(builder, type, rewrite)
      return { progress: { typeRid, phase: 'cancelled', ...counts }, isReady: false }
    }
    const conversion = yield* spec.conversion(builder, type)
    const copying = yield* copyingOf(builder, type.id, rewrite, conversion)
    const { isReady = false, phase, reason } = yield* step(builder, copying, rewrite)
    const counts = yield* countCopies(builder.session, rewrite)
    return { progress: { typeRid, phase, reason, ...counts }, isReady }
  })
}

/**
 * Takes the first step that makes progress. A step that throws does not hold up the others; its error
 * is thrown if none of them makes progress.
 */
export function* firstProgress(
  steps: Iterable<() => Operation<RewriteProgress | undefined>>,
): Operation<RewriteProgress | undefined> {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      const progress = yield* step()
      if (progress !== undefined) return progress
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return undefined
}
