/**
 * Commits small writes of one type together. Writes of a type wait for the same lock; all that wait
 * when it becomes free share one transaction, and so its statements and its flush to disk. Each
 * still is a commit of its own, with its own version, and fails alone.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Commit } from '../../port/writes.ts'
import { KnownFieldColumns } from '../catalogue/field-columns.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import { analyzeLater } from './commit-write.ts'
import { type GroupResult, type Outcome, type SmallWrite, writeGroup } from './write-group.ts'

/** The largest number of objects in one transaction. */
const MAX_KEYS = 1000

interface WaitingWrite {
  readonly write: SmallWrite
  /** Commits the write in a transaction of its own. */
  readonly commitAlone: () => Promise<Commit>
  readonly result: PromiseWithResolvers<Commit>
}

export class GroupCommits {
  readonly #store: PostgresContext
  readonly #waiting = new Set<WaitingWrite>()
  readonly #fields = new KnownFieldColumns()

  constructor(store: PostgresContext) {
    this.#store = store
  }

  /**
   * Resolves when the write is on disk. Each write waits for a turn of its own caller, so that a group
   * is never held up by a caller that has had its share. The first turn that comes takes the others
   * along; theirs then end at once.
   */
  commit(
    write: SmallWrite,
    callerId: string,
    commitAlone: WaitingWrite['commitAlone'],
  ): Promise<Commit> {
    const one = { write, commitAlone, result: Promise.withResolvers<Commit>() }
    this.#waiting.add(one)
    const { rid } = write.objectType
    let group: readonly WaitingWrite[] | undefined
    const takeWrites = () => {
      // Once: if the transaction is retried, it writes the same.
      group ??= this.#take(one)
      return group.map((member) => member.write)
    }
    const { capabilities, database } = this.#store
    const turn = database.writeUnless(
      () => !this.#waiting.has(one),
      (session) => writeGroup(session, { capabilities, fields: this.#fields }, rid, takeWrites),
      { key: rid, callerId },
    )
    turn.then(
      (result) => {
        if (result !== undefined) this.#settle(group ?? [], result)
      },
      (error) => {
        if (group !== undefined) failGroup(group, error)
        else if (this.#waiting.delete(one)) one.result.reject(error)
      },
    )
    return one.result.promise
  }

  /** Takes as many writes of a type as fit into a transaction. Those of the same objects stay. */
  #take(first: WaitingWrite): readonly WaitingWrite[] {
    const { rid } = first.write.objectType
    const group: WaitingWrite[] = []
    const taken = new Set<string>()
    for (const one of new Set([first, ...this.#waiting])) {
      if (one.write.objectType.rid !== rid) continue
      const keys = lockedNames(one.write)
      const isFree = one === first || taken.size + keys.length <= MAX_KEYS
      if (!isFree || keys.some((key) => taken.has(key))) continue
      group.push(one)
      this.#waiting.delete(one)
      for (const key of keys) taken.add(key)
    }
    return group
  }

  #settle(group: readonly WaitingWrite[], { outcomes, grown }: GroupResult): void {
    for (const [index, { result }] of group.entries()) {
      const outcome: Outcome | undefined = outcomes[index]
      if (outcome !== undefined && 'commit' in outcome) result.resolve(outcome.commit)
      else result.reject(outcome?.error)
    }
    if (grown !== undefined) analyzeLater(this.#store.database, grown)
  }
}

/** Names the objects of a write, and its idempotency key. */
function lockedNames({ keys, idempotencyKey }: SmallWrite): string[] {
  const objects = keys.map((key) => `object ${key}`)
  if (idempotencyKey === undefined) return objects
  return [...objects, `request ${idempotencyKey.callerId} ${idempotencyKey.key}`]
}

/** Nothing was written. A failure that one write may have caused must not fail the others. */
function failGroup(group: readonly WaitingWrite[], error: unknown): void {
  const isUnavailable =
    error instanceof ObjectQueryError && error.errorName === 'ServiceUnavailable'
  for (const { result, commitAlone } of group) {
    if (isUnavailable || group.length === 1) result.reject(error)
    else result.resolve(commitAlone())
  }
}
