/**
 * Commits small writes of one type together. Writes of a type wait for the same lock; all that wait
 * when it becomes free share one transaction, and so its statements and its flush to disk. Each
 * still is a commit of its own, with its own version, and fails alone.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Commit } from '../../write-request.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import { analyzeLater } from './analyze.ts'
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
  /** The writes that wait, by RID of their type. The first of them waits for the lock. */
  readonly #waiting = new Map<string, WaitingWrite[]>()

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
      if (waiting !== undefined) waiting.push(one)
      else this.#lead(rid, [one])
    })
  }

  /** Lets the first of several writes wait for the lock. */
  #lead(rid: string, waiting: WaitingWrite[]): void {
    const [first] = waiting
    if (first === undefined) return
    this.#waiting.set(rid, waiting)
    let group: readonly WaitingWrite[] | undefined
    const takeWrites = () => {
      // Once: if the transaction is retried, it writes the same.
      group ??= this.#take(rid)
      return group.map((one) => one.write)
    }
    const write = writeInTurn(this.#store, { key: rid, callerId: first.callerId }, (session) =>
      writeGroup(session, this.#store, rid, takeWrites),
    )
    write.then(
      (result) => this.#settle(group ?? [], result),
      (error) => {
        if (group !== undefined) return failGroup(group, error)
        this.#waiting.delete(rid)
        first.reject(error)
        // Each of the others now waits by itself, so that their waits do not add up.
        for (const { resolve, commitAlone } of waiting.slice(1)) resolve(commitAlone())
      },
    )
  }

  /** Takes as many writes as fit into a transaction. Those that touch the same objects stay. */
  #take(rid: string): readonly WaitingWrite[] {
    const group: WaitingWrite[] = []
    const others: WaitingWrite[] = []
    const taken = new Set<string>()
    for (const one of this.#waiting.get(rid) ?? []) {
      const keys = lockedNames(one.write)
      const isFree = group.length === 0 || taken.size + keys.length <= MAX_KEYS
      // A write never overtakes one that it might depend on.
      if (isFree && others.length === 0 && !keys.some((key) => taken.has(key))) {
        group.push(one)
        for (const key of keys) taken.add(key)
      } else others.push(one)
    }
    this.#waiting.delete(rid)
    this.#lead(rid, others)
    return group
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
function lockedNames({ keys, once }: SmallWrite): string[] {
  const objects = keys.map((key) => `object ${key}`)
  return once === undefined ? objects : [...objects, `once ${once.callerId} ${once.key}`]
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
