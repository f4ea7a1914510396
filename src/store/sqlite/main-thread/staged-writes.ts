/** The main thread's side of staged writes: runs their steps in turn with other writes. */
import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { FairQueue, type TaskOwner } from '../../../admission/fair-queue.ts'
import type { StagedRecord } from '../../core/tables/construction.ts'
import type { Commit } from '../../object-store.ts'
import { BUSY_WRITING } from '../../slow-queries.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import type { SliceOptions } from '../file/time-slice.ts'
import type { WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import { NO_OWNER } from '../writes/staged-record.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { WriteQueue } from './write-groups.ts'

/** Staged writes that are carried out at once, each of another caller. */
const SLOTS = 4
/** Longer than other writes wait, because a large batch takes longer than most. */
const MAX_WAIT_MS = 120_000
/** How long a step is followed by a pause in which other worker processes can write. */
const WORKER_PAUSE_MS = 25
/** How often to look whether the staged write of another process has ended. */
const POLL_MS = 50
/** A write that has made no step for this long will not be completed. */
const STUCK_MS = 10_000

/** Returns a name for a staged write, by which every process can tell whether it goes on. */
export function newOwner(): string {
  return `${process.pid}:${randomUUID()}`
}

/** The turn of a staged write. Those with the same key wait for each other. */
export interface StagedOwner extends TaskOwner {
  /** The RID of the type, or the name of a replacement. */
  readonly key: string
}

export interface StagedConnections {
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
  readonly checkpoints: Checkpoints
  readonly queue: WriteQueue
  /** The number of changes after which a step ends in any case. */
  readonly maxChanges: number | undefined
}

export class StagedWrites {
  readonly #connections: StagedConnections
  readonly #slots = new FairQueue({
    slots: SLOTS,
    slotsPerCaller: 1,
    slotsPerKey: 1,
    maxWaitMs: MAX_WAIT_MS,
    busyReason: BUSY_WRITING,
  })
  /** The steps of all staged writes when maintenance last looked. */
  #seen = new Map<number, string>()
  /** The names of the writes that are in progress here. */
  readonly #active = new Set<string>()
  #isDraining = false

  constructor(connections: StagedConnections) {
    this.#connections = connections
  }

  /**
   * Carries out a write that the writer thread has received under a name. Returns `outdated` if the
   * objects were replaced meanwhile. A write that fails is undone before its caller is told.
   */
  run(owner: StagedOwner, name: string): Promise<Commit | 'outdated'> {
    return this.alone(owner, async () => {
      this.#active.add(name)
      try {
        const outcome = await this.#runSteps(owner, name)
        // The record of a complete write is deleted with it.
        if (outcome !== 'outdated' && outcome.isRepeated !== true) return outcome
        await this.#undoOwn(owner, name)
        return outcome
      } catch (error) {
        await this.#undoOwn(owner, name)
        throw error
      } finally {
        this.#active.delete(name)
      }
    }).finally(() => this.forget(name))
  }

  /** Runs a task while no staged write with the same key runs. */
  alone<T>(owner: StagedOwner, task: () => Promise<T>): Promise<T> {
    return this.#slots.run(owner, task)
  }

  /** Frees the memory of a write that the writer thread has received. */
  forget(name: string): void {
    this.#connections.writer.run('forgetStaged', name).catch(() => {})
  }

  /** Repeats a task until no staged write blocks it. */
  async untilFree<T extends object>(
    owner: StagedOwner,
    task: () => Promise<T | { readonly blockedBy: StagedRecord }>,
  ): Promise<T> {
    const wait = { progress: '', sinceMs: 0 }
    for (;;) {
      const outcome = await task()
      if (!('blockedBy' in outcome)) return outcome
      await this.#clear(owner, outcome.blockedBy, wait)
    }
  }

  /** Waits until a staged write has ended, or undoes it if nobody completes it. */
  async #clear(owner: StagedOwner, blocking: StagedRecord, wait: Wait): Promise<void> {
    const progress = `${blocking.table} ${blocking.version} ${blocking.steps}`
    if (wait.progress !== progress) Object.assign(wait, { progress, sinceMs: performance.now() })
    const isStuck = performance.now() - wait.sinceMs > STUCK_MS
    if (this.#isAlive(blocking.owner) && !isStuck) await sleep(POLL_MS)
    else await this.#undo(owner, blocking)
  }

  /** Undoes the writes of processes that have ended. */
  async removeAbandoned(owner: TaskOwner): Promise<void> {
    const { writer, guard } = this.#connections
    const records = await guard.write(() => writer.run('listStaged', undefined))
    const seen = this.#seen
    this.#seen = new Map(records.map(({ table, version, steps }) => [table, `${version} ${steps}`]))
    for (const record of records) {
      const isStuck = seen.get(record.table) === this.#seen.get(record.table)
      if (isStuck || !this.#isAlive(record.owner)) await this.#undo(owner, record)
    }
  }

  /** Leaves unfinished writes to the next process that opens the store. */
  drain(reason: string): void {
    this.#isDraining = true
    this.#slots.refuseWaiting(reason)
  }

  async #runSteps(owner: StagedOwner, name: string): Promise<Commit | 'outdated'> {
    const { writer, guard, queue, checkpoints } = this.#connections
    const wait: Wait = { progress: '', sinceMs: 0 }
    for (;;) {
      const outcome = await queue.run(turnOf(owner), () =>
        guard.write(() => writer.run('stageStep', { owner: name, ...this.#slice() })),
      )
      checkpoints.noteStep()
      if (outcome === 'outdated') return outcome
      if (outcome === undefined) {
        // Other processes are not in the queue: they look again and again whether the file is locked.
        if (cluster.isWorker) await sleep(WORKER_PAUSE_MS)
        continue
      }
      if ('commit' in outcome) return outcome.commit
      // An earlier attempt of this write, whose version was reached.
      if (outcome.blockedBy.owner === name) await this.#undo(owner, outcome.blockedBy)
      else await this.#clear(owner, outcome.blockedBy, wait)
      owner.signal?.throwIfAborted()
    }
  }

  /** Undoes what a write has done. If that fails, maintenance tries again. */
  async #undoOwn(owner: StagedOwner, name: string): Promise<void> {
    if (this.#isDraining) return
    const { writer } = this.#connections
    try {
      const records = await writer.run('listStaged', undefined)
      for (const record of records) if (record.owner === name) await this.#undo(owner, record)
    } catch {}
  }

  async #undo({ callerId }: TaskOwner, { table, version }: StagedRecord): Promise<void> {
    const { writer, guard, queue, checkpoints } = this.#connections
    // Without the signal: an aborted write must be undone.
    const run = () =>
      guard.write(() => writer.run('undoStaged', { table, version, ...this.#slice() }))
    while (!(await queue.run({ callerId }, run))) checkpoints.noteStep()
  }

  #slice(): SliceOptions {
    const { queue, maxChanges } = this.#connections
    return { pending: queue.pending, isShared: queue.isShared(), maxChanges }
  }

  /** True if the process of an owner may still complete its write. */
  #isAlive(owner: string): boolean {
    if (owner === NO_OWNER) return false
    const pid = Number(owner.split(':')[0])
    // An earlier process can have had the same number.
    if (pid === process.pid) return this.#active.has(owner)
    try {
      return process.kill(pid, 0)
    } catch (error) {
      // The process of another user.
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  }
}

/** How long a write waits for another one, and at which step that is. */
export interface Wait {
  progress: string
  sinceMs: number
}

/** Without the key, which is that of the whole write. */
function turnOf({ callerId, signal }: StagedOwner): TaskOwner {
  return { callerId, signal }
}
