/**
 * Commits small writes of one type together. Writes of a type wait for the same lock; all that wait
 * when it becomes free share one transaction, and so its statements and its flush to disk. Each
 * still is a commit of its own, with its own version, and fails alone.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Commit } from '../../port/writes.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import { analyzeLater } from './commit-write.ts'
import { type GroupResult, type Outcome, type SmallWrite, writeGroup } from './write-group.ts'

/** The largest number of objects in one transaction. */
const MAX_KEYS = 1000

interface WaitingWrite {
  readonly write: SmallWrite
  readonly callerId: string
  /** Commits the write in a transaction of its own. */
  readonly commitAlone: () => Promise<Commit>
  readonly resolve: (commit: Commit | Promise<Commit>) => void
  readonly reject: (error: unknown) => void
}

export class GroupCommits {
  readonly #store: PostgresContext
  /** The writes that wait, by RID of their type. */
  readonly #waiting = new Map<string, Set<WaitingWrite>>()

  constructor(store: PostgresContext) {
    this.#store = store
  }

  /** Resolves when the write is on disk. */
  commit(
    write: SmallWrite,
    callerId: string,
    commitAlone: WaitingWrite['commitAlone'],
  ): Promise<Commit> {
    const { rid } = write.objectType
    return new Promise((resolve, reject) => {
      const one = { write, callerId, commitAlone, resolve, reject }
      const waiting = this.#waiting.get(rid)
      if (waiting === undefined) this.#waiting.set(rid, new Set([one]))
      else waiting.add(one)
      this.#awaitTurn(rid, one)
    })
  }

  /**
   * Each write waits for a turn of its own caller, so that a group is never held up by a caller that
   * has had its share. The first turn that comes takes the others along; theirs then end at once.
   */
  #awaitTurn(rid: string, one: WaitingWrite): void {
    let group: readonly WaitingWrite[] | undefined
    const takeWrites = () => {
      // Once: if the transaction is retried, it writes the same.
      group ??= this.#take(rid, one)
      return group.map(({ write }) => write)
    }
    const isTaken = () => this.#waiting.get(rid)?.has(one) !== true
    const turn = this.#store.database.writeUnless(
      isTaken,
      (session) => writeGroup(session, this.#store, rid, takeWrites),
      { key: rid, callerId: one.callerId },
    )
    turn.then(
      (result) => {
        if (result !== undefined) this.#settle(group ?? [], result)
      },
      (error) => {
        if (group !== undefined) return failGroup(group, error)
        if (isTaken()) return
        this.#remove(rid, [one])
        one.reject(error)
      },
    )
  }

  /** Takes as many writes as fit into a transaction. Those that touch the same objects stay. */
  #take(rid: string, first: WaitingWrite): readonly WaitingWrite[] {
    const group: WaitingWrite[] = []
    const taken = new Set<string>()
    for (const one of new Set([first, ...(this.#waiting.get(rid) ?? [])])) {
      const keys = lockedNames(one.write)
      const isFree = one === first || taken.size + keys.length <= MAX_KEYS
      if (!isFree || keys.some((key) => taken.has(key))) continue
      group.push(one)
      for (const key of keys) taken.add(key)
    }
    this.#remove(rid, group)
    return group
  }

  #remove(rid: string, writes: readonly WaitingWrite[]): void {
    const waiting = this.#waiting.get(rid)
    for (const one of writes) waiting?.delete(one)
    if (waiting?.size === 0) this.#waiting.delete(rid)
  }

  #settle(group: readonly WaitingWrite[], { outcomes, grown }: GroupResult): void {
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome: Outcome | undefined = outcomes[index]
      if (outcome !== undefined && 'commit' in outcome) resolve(outcome.commit)
      else reject(outcome?.error)
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
  for (const { resolve, reject, commitAlone } of group) {
    if (isUnavailable || group.length === 1) reject(error)
    else resolve(commitAlone())
  }
}
