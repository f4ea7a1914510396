/**
 * Shares a few slots fairly between callers. One caller never holds all slots, so a small request of
 * another caller finds a free one. The waiting caller goes first that used the least beyond an equal
 * share of the time in which somebody had to wait (start-time fair queueing): neither new callers nor
 * any number of others keep one waiting until each of them has used as much. A task that would wait
 * too long behind tasks of its own caller is refused on arrival, not after the wait.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import { CallerMap } from './caller-limits.ts'
import { QueuedCaller } from './queued-caller.ts'
import { REAL_TIMER, type Timer } from './timer.ts'

export interface FairQueueOptions {
  /** The number of tasks that run at once. */
  readonly slots: number
  /** The maximum number of slots that one caller may hold. */
  readonly slotsPerCaller: number
  /** The maximum number of running tasks with the same key. */
  readonly slotsPerKey?: number
  readonly maxWaitMs: number
  /** The reason that a refused client receives, as a sentence. */
  readonly busyReason: string
  /** The expected duration of a task of a caller that has not run one recently. */
  readonly firstAverageMs?: number
  readonly timer?: Timer
}

/** The caller of a task, and the resource that the task works on. */
export interface TaskOwner {
  readonly callerId: string
  readonly key?: string | undefined
  /** Removes the task from the queue when aborted. A running task watches its signal itself. */
  readonly signal?: AbortSignal | undefined
}

/** The number of tasks in a queue, and how long all tasks so far have waited for their turn. */
export interface QueueState {
  readonly running: number
  readonly waiting: number
  readonly waitedMs: number
}

interface WaitingTask {
  readonly owner: TaskOwner
  readonly start: () => void
  readonly refuse: (error: unknown) => void
}

type Caller = QueuedCaller<WaitingTask>

const FIRST_AVERAGE_MS = 50
/** Every start of a task looks at all callers, so idle ones are evicted early. */
const MAX_CALLERS = 100

export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #timer: Timer
  readonly #callers: CallerMap<Caller>
  readonly #runningByKey = new Map<string, number>()
  /** Cancels the timer that starts tasks when a caller stops being active. */
  #cancelWakeUp: (() => void) | undefined
  /**
   * What each caller could have used so far with an equal share, as far as anybody had to wait: a
   * caller that used more goes later. At least the use of each caller when its task was started.
   */
  #equalShareMs = 0
  #sharedUntil: number
  #free: number
  #closedReason: string | undefined
  #waitedMs = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
    this.#timer = options.timer ?? REAL_TIMER
    this.#sharedUntil = this.#timer.now()
    this.#free = options.slots
    this.#callers = new CallerMap({
      create: () => {
        const { firstAverageMs = FIRST_AVERAGE_MS } = options
        return new QueuedCaller(this.#equalShareMs, firstAverageMs, this.#timer.now())
      },
      isIdle: (caller) => !caller.hasTasks && caller.usedMs <= this.#equalShareMs,
      maxCallers: MAX_CALLERS,
    })
  }

  async run<T>(owner: TaskOwner, task: () => Promise<T>): Promise<T> {
    if (this.#closedReason !== undefined) throw unavailable(this.#closedReason)
    owner.signal?.throwIfAborted()
    this.#shareTime()
    const caller = this.#callers.findOrCreate(owner.callerId)
    if (!caller.hasTasks) caller.usedMs = Math.max(caller.usedMs, this.#equalShareMs)
    const isNext = caller.waiting.length === 0
    if (isNext && this.#canStart(caller, owner, this.#slotsPerCaller())) this.#enter(caller, owner)
    else await this.#wait(caller, owner)
    const startedAt = this.#timer.now()
    try {
      return await task()
    } finally {
      this.#leave(caller, owner, this.#timer.now() - startedAt)
    }
  }

  state(): QueueState {
    let [running, waiting] = [0, 0]
    for (const caller of this.#callers.values()) {
      running += caller.running
      waiting += caller.waiting.length
    }
    return { running, waiting, waitedMs: this.#waitedMs }
  }

  /** Refuses all waiting and all later tasks; running tasks continue. */
  close(reason: string): void {
    this.#closedReason = reason
    this.refuseWaiting(reason)
  }

  /** Refuses all tasks that wait now. */
  refuseWaiting(reason: string): void {
    for (const { waiting } of this.#callers.values()) {
      for (const task of [...waiting]) task.refuse(unavailable(reason))
    }
  }

  async #wait(caller: Caller, owner: TaskOwner): Promise<void> {
    this.#refuseLongWait(caller)
    const turn = Promise.withResolvers<void>()
    const task: WaitingTask = {
      owner,
      start: turn.resolve,
      refuse: (error) => {
        const index = caller.waiting.indexOf(task)
        // A task that has just been started is no longer in the queue.
        if (index === -1) return
        caller.waiting.splice(index, 1)
        turn.reject(error)
      },
    }
    caller.waiting.push(task)
    const startedAt = this.#timer.now()
    const { maxWaitMs, busyReason } = this.#options
    const giveUp = (error: unknown) => {
      this.#shareTime()
      task.refuse(error)
      // The remaining callers may now have larger shares.
      this.#startNext()
    }
    const cancelTimer = this.#timer.after(maxWaitMs, () => giveUp(unavailable(busyReason)))
    const onAbort = () => giveUp(owner.signal?.reason)
    owner.signal?.addEventListener('abort', onAbort)
    if (owner.signal?.aborted) onAbort()
    // A slot may be free for a waiting task: shares change with the number of active callers.
    this.#startNext()
    try {
      await turn.promise
    } finally {
      this.#waitedMs += this.#timer.now() - startedAt
      cancelTimer()
      owner.signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Estimates the wait from the caller's own tasks, because those are what a new task waits for. */
  #refuseLongWait(caller: Caller): void {
    const { slotsPerCaller, maxWaitMs, busyReason } = this.#options
    const { running, waiting } = caller
    const averageMs = caller.averageMs(this.#timer.now())
    const expectedMs = ((running + waiting.length) * averageMs) / slotsPerCaller
    if (expectedMs <= maxWaitMs) return
    throw new ObjectQueryError('TooManyRequests', {
      reason: busyReason,
      retryAfterSeconds: Math.ceil(averageMs / 1000),
    })
  }

  #canStart({ running }: Caller, { key }: TaskOwner, share: number): boolean {
    const { slotsPerKey = Infinity } = this.#options
    if (this.#free === 0 || running >= share) return false
    return key === undefined || (this.#runningByKey.get(key) ?? 0) < slotsPerKey
  }

  /** Returns an equal share of the slots per active caller; `slotsPerCaller` for a lone caller. */
  #slotsPerCaller(): number {
    const { slots, slotsPerCaller } = this.#options
    if (this.#callers.size <= 1) return slotsPerCaller
    const now = this.#timer.now()
    let active = 0
    for (const caller of this.#callers.values()) {
      if (caller.activeUntil > now) active += 1
    }
    return Math.min(slotsPerCaller, Math.max(1, Math.floor(slots / active)))
  }

  #enter(caller: Caller, { key }: TaskOwner): void {
    caller.startTask(this.#timer.now())
    this.#equalShareMs = Math.max(this.#equalShareMs, caller.usedMs)
    this.#free -= 1
    if (key !== undefined) this.#runningByKey.set(key, (this.#runningByKey.get(key) ?? 0) + 1)
  }

  #leave(caller: Caller, { key, signal }: TaskOwner, tookMs: number): void {
    this.#shareTime()
    this.#free += 1
    // An aborted task took as long as its client stayed, not as long as the work takes.
    caller.endTask(tookMs, this.#timer.now(), !signal?.aborted)
    if (key !== undefined) {
      const left = (this.#runningByKey.get(key) ?? 1) - 1
      if (left === 0) this.#runningByKey.delete(key)
      else this.#runningByKey.set(key, left)
    }
    this.#startNext()
  }

  /** Divides the time that has passed between the callers with tasks, if one of them had to wait. */
  #shareTime(): void {
    const now = this.#timer.now()
    const passedMs = now - this.#sharedUntil
    this.#sharedUntil = now
    if (this.#free > 0 || passedMs === 0) return
    let [callers, waiting] = [0, 0]
    for (const caller of this.#callers.values()) {
      if (caller.hasTasks) callers += 1
      waiting += caller.waiting.length
    }
    if (waiting > 0) this.#equalShareMs += (passedMs * this.#options.slots) / callers
  }

  /** Nobody waits for what was used until now. */
  #forgiveUse(): void {
    for (const { usedMs } of this.#callers.values()) {
      this.#equalShareMs = Math.max(this.#equalShareMs, usedMs)
    }
  }

  /** Starts all waiting tasks that fit, one per caller in each round. */
  #startNext(): void {
    this.#cancelWakeUp?.()
    this.#cancelWakeUp = undefined
    if (this.#free === 0) return
    const waiting = [...this.#callers.values()].filter((caller) => caller.waiting.length > 0)
    if (waiting.length === 0) {
      if (this.#free === this.#options.slots) this.#forgiveUse()
      return
    }
    waiting.sort((a, b) => a.usedMs - b.usedMs)
    // Does not change here: a caller with a waiting task is active already.
    const share = this.#slotsPerCaller()
    while (waiting.filter((caller) => this.#startOne(caller, share)).length > 0);
    if (share < this.#options.slotsPerCaller) this.#wakeUpLater()
  }

  #startOne(caller: Caller, share: number): boolean {
    if (this.#free === 0 || caller.running >= share) return false
    const index = caller.waiting.findIndex(({ owner }) => this.#canStart(caller, owner, share))
    const [task] = index === -1 ? [] : caller.waiting.splice(index, 1)
    if (task === undefined) return false
    // Counted here, so that no task that arrives before this one resumes takes its slot.
    this.#enter(caller, task.owner)
    task.start()
    return true
  }

  /** Looks again for tasks to start when the share of each caller grows. */
  #wakeUpLater(): void {
    if (this.#free === 0) return
    const now = this.#timer.now()
    let next = Infinity
    for (const caller of this.#callers.values()) {
      const until = caller.activeUntil
      if (until > now) next = Math.min(next, until)
    }
    if (next === Infinity) return
    this.#cancelWakeUp = this.#timer.after(next - now, () => this.#startNext())
  }
}

function unavailable(reason: string): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', { reason })
}
