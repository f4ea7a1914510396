/**
 * Groups small writes: all that wait when the writer becomes free share one transaction and one
 * sync to disk. Each is acknowledged after that, and a refused one fails alone.
 */
import { FairQueue, type TaskOwner } from '../../../admission/fair-queue.ts'
import type { Commit } from '../../object-store.ts'
import { BUSY_WRITING, MAX_WRITE_WAIT_MS } from '../../slow-queries.ts'
import { StoreDamage } from '../file/store-failure.ts'
import type { StoreGuard } from '../file/store-guard.ts'
import type { OpenJob, WorkerThread } from '../threads/worker-thread.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'
import type { Checkpoints } from './checkpoints.ts'

/** Both bound how long the first write of a group waits for the others. */
const MAX_GROUP_WRITES = 64
const MAX_GROUP_LENGTH = 1024 * 1024

export interface SmallWrite {
  /** Writes with a common key are in different groups, because the later one depends on the other. */
  readonly keys: readonly string[]
  /** Called when the group is formed: returns a job to run, or the commit if it was made before. */
  readonly prepare: () => Promise<PreparedWrite | Commit>
}

export interface PreparedWrite {
  readonly job: OpenJob
  readonly name: 'commitBatch' | 'commitEdit'
  readonly input: unknown
}

interface WaitingWrite {
  readonly write: SmallWrite
  readonly result: PromiseWithResolvers<Commit | undefined>
}

type ReadyWrite = PreparedWrite & Pick<WaitingWrite, 'result'>

export interface GroupConnections {
  readonly queue: FairQueue
  readonly guard: StoreGuard
  readonly writer: WorkerThread<WriteJobs>
  readonly checkpoints: Checkpoints
}

export class WriteGroups {
  readonly #connections: GroupConnections
  readonly #waiting = new Set<WaitingWrite>()

  constructor(connections: GroupConnections) {
    this.#connections = connections
  }

  /** Returns the commit, or undefined if an edit must be decided again. */
  run(owner: TaskOwner, write: SmallWrite): Promise<Commit | undefined> {
    const waiting = { write, result: Promise.withResolvers<Commit | undefined>() }
    this.#waiting.add(waiting)
    // If another group has taken the write, its own turn is over at once.
    const turn = this.#connections.queue.run(owner, async () => {
      if (this.#waiting.has(waiting)) await this.#runGroup(this.#takeGroup(waiting))
    })
    turn.catch((error: unknown) => {
      if (this.#waiting.delete(waiting)) waiting.result.reject(error)
    })
    return waiting.result.promise
  }

  #takeGroup(first: WaitingWrite): readonly WaitingWrite[] {
    const keys = new Set(first.write.keys)
    const group = [first]
    for (const other of this.#waiting) {
      if (group.length === MAX_GROUP_WRITES) break
      if (other === first || other.write.keys.some((key) => keys.has(key))) continue
      for (const key of other.write.keys) keys.add(key)
      group.push(other)
    }
    for (const member of group) this.#waiting.delete(member)
    // Edits first: a batch for the same object would make what they decided outdated.
    const isEdit = ({ write }: WaitingWrite) => write.keys.length > 0
    return [...group.filter(isEdit), ...group.filter((member) => !isEdit(member))]
  }

  async #runGroup(group: readonly WaitingWrite[]): Promise<void> {
    const prepared = await Promise.all(group.map((member) => this.#prepare(member)))
    for (const jobs of withinLength(prepared.filter((job) => job !== undefined))) {
      await this.#commit(jobs)
    }
  }

  async #commit(jobs: readonly ReadyWrite[]): Promise<void> {
    const { guard, checkpoints } = this.#connections
    try {
      const outcomes = await guard.write(() => this.#runJobs(jobs))
      for (const [index, { result }] of jobs.entries()) {
        const outcome = outcomes[index]
        if (outcome?.status === 'fulfilled') result.resolve(outcome.value)
        else result.reject(outcome?.reason)
      }
      checkpoints.noteWrites(jobs.length)
    } catch (error) {
      for (const { job, result } of jobs) {
        job.cancel()
        result.reject(error)
      }
    }
  }

  /** Returns undefined if there is nothing to run: the write failed, or was made before. */
  async #prepare({ write, result }: WaitingWrite): Promise<ReadyWrite | undefined> {
    try {
      const prepared = await write.prepare()
      if ('job' in prepared) return { ...prepared, result }
      result.resolve(prepared)
    } catch (error) {
      result.reject(error)
    }
    return undefined
  }

  async #runJobs(jobs: readonly PreparedWrite[]) {
    const outcomes = await Promise.allSettled(this.#connections.writer.runGroup(jobs))
    // Damage is a matter of the file, not of one write.
    const damage = outcomes.find(
      (outcome) => outcome.status === 'rejected' && outcome.reason instanceof StoreDamage,
    )
    if (damage?.status === 'rejected') throw damage.reason
    return outcomes as PromiseSettledResult<Commit | undefined>[]
  }
}

/** Divides writes into transactions of a limited length. The length of an edit is known late. */
function withinLength(writes: readonly ReadyWrite[]): readonly ReadyWrite[][] {
  const groups: ReadyWrite[][] = []
  let length = Infinity
  for (const write of writes) {
    length += write.job.sent.length
    if (length > MAX_GROUP_LENGTH) {
      groups.push([])
      length = write.job.sent.length
    }
    groups.at(-1)?.push(write)
  }
  return groups
}

/** How long after a write had to wait others are likely to follow. */
const SHARED_MS = 2000

/** SQLite has one writer. A job is sent after the previous one, so that callers share it fairly. */
export class WriteQueue extends FairQueue {
  /** The number of writes that wait or run. The writer thread reads it during long writes. */
  readonly pending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

  constructor() {
    super({
      slots: 1,
      slotsPerCaller: 1,
      maxWaitMs: MAX_WRITE_WAIT_MS,
      busyReason: BUSY_WRITING,
    })
  }

  #sharedAt = Number.NEGATIVE_INFINITY

  /** True if a write has recently had to wait for another one. */
  isShared(): boolean {
    return performance.now() - this.#sharedAt < SHARED_MS
  }

  override async run<T>(owner: TaskOwner, task: () => Promise<T>): Promise<T> {
    if (Atomics.add(this.pending, 0, 1) > 0) this.#sharedAt = performance.now()
    try {
      return await super.run(owner, task)
    } finally {
      Atomics.sub(this.pending, 0, 1)
    }
  }
}
