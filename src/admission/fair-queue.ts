/**
 * Shares a few slots fairly between callers. One caller never holds all slots, so the small request
 * of another one finds a free slot. Of the callers that wait, the one that has used the least time
 * lately goes first. A task that would wait too long behind other tasks of its own caller is refused
 * when it arrives, not after the wait.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import { REAL_TIMER, type Timer } from './timer.ts'

export interface FairQueueOptions {
  /** Tasks that run at once. */
  readonly slots: number
  /** The most slots that one caller may hold. */
  readonly slotsPerCaller: number
  /** The most slots for one key: tasks with the same key only wait for each other. */
  readonly slotsPerKey?: number
  readonly maxWaitMs: number
  /** Why a task was refused, as a sentence for the client. */
  readonly busyReason: string
  readonly timer?: Timer
}

/** Who runs a task, and what it works on. */
export interface TaskOwner {
  readonly callerId: string
  readonly key?: string | undefined
  /** Takes the task out of the queue when aborted. A running task watches its signal itself. */
  readonly signal?: AbortSignal | undefined
}

interface WaitingTask {
  readonly owner: TaskOwner
  readonly start: () => void
  readonly refuse: (error: unknown) => void
}

interface CallerState {
  running: number
  readonly waiting: WaitingTask[]
  /** Milliseconds used lately; halves every `HALF_LIFE_MS`. */
  usedMs: number
  usedAt: number
  /** Moving average of the length of a task. */
  averageMs: number
}

const HALF_LIFE_MS = 10_000
/** How long after its last task a caller still counts as active. */
const ACTIVE_MS = 1000
const FIRST_AVERAGE_MS = 50
const AVERAGE_WEIGHT = 0.3

export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #timer: Timer
  readonly #callers = new Map<string, CallerState>()
  readonly #runningByKey = new Map<string, number>()
  #free: number
  #closedReason: string | undefined

  constructor(options: FairQueueOptions) {
    this.#options = options
    this.#timer = options.timer ?? REAL_TIMER
    this.#free = options.slots
  }

  async run<T>(owner: TaskOwner, task: () => Promise<T>): Promise<T> {
    if (this.#closedReason !== undefined) throw unavailable(this.#closedReason)
    owner.signal?.throwIfAborted()
    const caller = this.#callerState(owner.callerId)
    const isNext = caller.waiting.length === 0
    if (isNext && this.#canStart(caller, owner)) this.#enter(caller, owner)
    else await this.#wait(caller, owner)
    const startedAt = this.#timer.now()
    try {
      return await task()
    } finally {
      this.#leave(caller, owner, this.#timer.now() - startedAt)
    }
  }

  /** Refuses every waiting task, and every later one; running tasks go on. */
  close(reason: string): void {
    this.#closedReason = reason
    this.refuseWaiting(reason)
  }

  /** Refuses every task that waits now. */
  refuseWaiting(reason: string): void {
    for (const { waiting } of this.#callers.values()) {
      for (const task of [...waiting]) task.refuse(unavailable(reason))
    }
  }

  async #wait(caller: CallerState, owner: TaskOwner): Promise<void> {
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
    const { maxWaitMs, busyReason } = this.#options
    const cancelTimer = this.#timer.after(maxWaitMs, () => task.refuse(unavailable(busyReason)))
    const onAbort = () => task.refuse(owner.signal?.reason)
    owner.signal?.addEventListener('abort', onAbort)
    if (owner.signal?.aborted) onAbort()
    // A slot may be free for a task that waits: shares change with the callers that are active.
    this.#startNext()
    try {
      await turn.promise
    } finally {
      cancelTimer()
      owner.signal?.removeEventListener('abort', onAbort)
    }
  }

  /** A caller's own tasks are what it waits for, so their average tells how long. */
  #refuseLongWait({ running, waiting, averageMs }: CallerState): void {
    const { slotsPerCaller, maxWaitMs, busyReason } = this.#options
    const expectedMs = ((running + waiting.length) * averageMs) / slotsPerCaller
    if (expectedMs <= maxWaitMs) return
    throw new ObjectQueryError('TooManyRequests', {
      reason: busyReason,
      retryAfterSeconds: Math.ceil(averageMs / 1000),
    })
  }

  #canStart({ running }: CallerState, { key }: TaskOwner): boolean {
    const { slotsPerKey = Infinity } = this.#options
    if (this.#free === 0 || running >= this.#slotsPerCaller()) return false
    return key === undefined || (this.#runningByKey.get(key) ?? 0) < slotsPerKey
  }

  /** A fair share of the slots for each caller that is active; all but the reserve for a lone one. */
  #slotsPerCaller(): number {
    const { slots, slotsPerCaller } = this.#options
    if (this.#callers.size <= 1) return slotsPerCaller
    const since = this.#timer.now() - ACTIVE_MS
    let active = 0
    for (const { running, waiting, usedAt } of this.#callers.values()) {
      if (running + waiting.length > 0 || usedAt > since) active += 1
    }
    return Math.min(slotsPerCaller, Math.max(1, Math.floor(slots / active)))
  }

  #enter(caller: CallerState, { key }: TaskOwner): void {
    this.#free -= 1
    caller.running += 1
    if (key !== undefined) this.#runningByKey.set(key, (this.#runningByKey.get(key) ?? 0) + 1)
  }

  #leave(caller: CallerState, { key }: TaskOwner, tookMs: number): void {
    this.#free += 1
    caller.running -= 1
    caller.usedMs = this.#usedLately(caller) + tookMs
    caller.usedAt = this.#timer.now()
    caller.averageMs += AVERAGE_WEIGHT * (tookMs - caller.averageMs)
    if (key !== undefined) {
      const left = (this.#runningByKey.get(key) ?? 1) - 1
      if (left === 0) this.#runningByKey.delete(key)
      else this.#runningByKey.set(key, left)
    }
    this.#startNext()
  }

  #startNext(): void {
    const waiting = [...this.#callers.values()].filter((caller) => caller.waiting.length > 0)
    waiting.sort((a, b) => this.#usedLately(a) - this.#usedLately(b))
    for (const caller of waiting) {
      const index = caller.waiting.findIndex(({ owner }) => this.#canStart(caller, owner))
      const [task] = index === -1 ? [] : caller.waiting.splice(index, 1)
      if (task === undefined) continue
      // Entered here, so that no task that arrives before this one resumes takes its slot.
      this.#enter(caller, task.owner)
      task.start()
      if (this.#free === 0) return
    }
  }

  #usedLately({ usedMs, usedAt }: CallerState): number {
    return usedMs * 2 ** ((usedAt - this.#timer.now()) / HALF_LIFE_MS)
  }

  #callerState(callerId: string): CallerState {
    const known = this.#callers.get(callerId)
    if (known !== undefined) return known
    this.#evictIdle()
    const state = {
      running: 0,
      waiting: [],
      usedMs: 0,
      usedAt: this.#timer.now(),
      averageMs: FIRST_AVERAGE_MS,
    }
    this.#callers.set(callerId, state)
    return state
  }

  /** A caller whose use has faded is like a new one. */
  #evictIdle(): void {
    if (this.#callers.size < MANY_CALLERS) return
    for (const [callerId, caller] of this.#callers) {
      const isIdle = caller.running + caller.waiting.length === 0
      if (isIdle && this.#usedLately(caller) < FADED_MS) this.#callers.delete(callerId)
    }
  }
}

/** From this number on, idle callers that have used little are evicted. */
const MANY_CALLERS = 100
const FADED_MS = 10

function unavailable(reason: string): ObjectQueryError {
  return new ObjectQueryError('ServiceUnavailable', { reason })
}
