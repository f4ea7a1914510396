import { describe, expect, it } from 'vitest'
import { settled, TestTimer } from '../../test/support/test-timer.ts'
import { FairQueue, type FairQueueOptions } from './fair-queue.ts'

/** Tasks named by caller and number (`a1`), with an optional key after a slash (`a1/k`). */
class Tasks {
  readonly timer = new TestTimer()
  readonly queue: FairQueue
  readonly started: string[] = []
  readonly refused: string[] = []
  readonly #ends = new Map<string, () => void>()

  constructor(options: Partial<FairQueueOptions>) {
    this.queue = new FairQueue({
      slots: 2,
      slotsPerCaller: 1,
      maxWaitMs: 1000,
      busyReason: 'Busy.',
      timer: this.timer,
      ...options,
    })
  }

  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.startWith(name)
  }

  async startWith(name: string, signal?: AbortSignal): Promise<void> {
    const [task = '', key] = name.split('/')
    const end = new Promise<void>((resolve) => this.#ends.set(name, resolve))
    const done = this.queue.run({ callerId: task.slice(0, 1), key, signal }, () => {
      this.started.push(name)
      return end
    })
    done.catch((error) => this.refused.push(`${name} ${error.errorName ?? error.message}`))
    await settled()
  }

  async end(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#ends.get(name)?.()
      await settled()
    }
  }
}

describe('a fair queue', () => {
  it('never gives all slots to one caller', async () => {
    const tasks = new Tasks({ slots: 3, slotsPerCaller: 2, maxWaitMs: 100_000 })
    await tasks.start('a1', 'a2', 'a3', 'a4', 'b1')
    expect(tasks.started).toEqual(['a1', 'a2', 'b1'])
    // Two callers get half of the slots each; a lone caller gets all but the reserve again.
    await tasks.end('a2')
    expect(tasks.started).toEqual(['a1', 'a2', 'b1'])
    await tasks.end('b1')
    await tasks.timer.pass(999)
    await tasks.end('a1')
    expect(tasks.started).toEqual(['a1', 'a2', 'b1', 'a3'])
    await tasks.timer.pass(2)
    await tasks.start('a5', 'a6')
    expect(tasks.started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
  })

  it('starts the tasks of one caller in the order of arrival', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1', 'a2', 'a3')
    await tasks.end('a1', 'a2')
    expect(tasks.started).toEqual(['a1', 'a2', 'a3'])
  })

  it('prefers the caller that used the least', async () => {
    const tasks = new Tasks({ maxWaitMs: 100_000 })
    await tasks.start('a1', 'b1')
    await tasks.timer.pass(500)
    await tasks.end('a1')
    // A new caller goes before one that has just used half a second, although it arrived later.
    await tasks.start('c1', 'a2', 'd1')
    await tasks.end('b1')
    expect(tasks.started).toEqual(['a1', 'b1', 'c1', 'd1'])
    await tasks.end('c1')
    expect(tasks.started.at(-1)).toBe('a2')
  })

  it('lets no stream of new callers keep another one waiting', async () => {
    const tasks = new Tasks({ slots: 1, maxWaitMs: 100_000 })
    for (const name of ['a1', 'a2', 'a3']) {
      await tasks.start(name)
      await tasks.timer.pass(500)
      await tasks.end(name)
    }
    await tasks.start('b1', 'a4', 'c1')
    await tasks.timer.pass(10)
    await tasks.end('b1')
    await tasks.start('d1', 'e1')
    expect(tasks.started.slice(3)).toEqual(['b1', 'a4'])
  })

  it('lets no number of callers that used less keep another one waiting', async () => {
    const tasks = new Tasks({ maxWaitMs: 100_000 })
    const others = [...'bcdefghijklmnopqrstuvwxyz']
    await tasks.start('a1', 'b1', 'c1')
    await tasks.timer.pass(20)
    await tasks.start('d1')
    await tasks.end('a1')
    await tasks.start('a2')
    // Two of the others always run, and two wait, each for the first time.
    for (const [n, next] of others.slice(3).entries()) {
      await tasks.timer.pass(5)
      await tasks.start(`${next}1`)
      await tasks.end(`${others[n]}1`)
    }
    expect(tasks.started.slice(0, 7)).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'a2'])
  })

  it('treats callers equally once their use is long ago', async () => {
    const tasks = new Tasks({ slots: 1, maxWaitMs: 1e9 })
    await tasks.start('a1')
    await tasks.timer.pass(500)
    await tasks.end('a1')
    await tasks.timer.pass(3_600_000)
    await tasks.start('b1')
    await tasks.timer.pass(1)
    await tasks.start('a2', 'b2')
    await tasks.end('b1')
    expect(tasks.started).toEqual(['a1', 'b1', 'a2'])
  })

  it('limits the tasks that share a key', async () => {
    const tasks = new Tasks({ slots: 4, slotsPerCaller: 3, slotsPerKey: 1 })
    await tasks.start('a1/k', 'b1/k', 'b2/m', 'a2')
    expect(tasks.started).toEqual(['a1/k', 'b2/m', 'a2'])
    await tasks.end('a1/k')
    expect(tasks.started.at(-1)).toBe('b1/k')
  })

  it('refuses only the task that has waited too long', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1', 'a2', 'b1')
    await tasks.timer.pass(1000)
    expect(tasks.refused).toEqual(['a2 ServiceUnavailable'])
    await tasks.start('a3')
    await tasks.end('a1')
    expect(tasks.started).toEqual(['a1', 'b1', 'a3'])
    expect(tasks.timer.pending).toBe(0)
  })

  it('refuses a task on arrival that would wait too long behind its own caller', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1')
    await tasks.timer.pass(4000)
    await tasks.end('a1')
    // Tasks of this caller now take more than a second on average.
    await tasks.start('a2', 'a3', 'b1', 'b2')
    expect(tasks.started).toEqual(['a1', 'a2', 'b1'])
    expect(tasks.refused).toEqual(['a3 TooManyRequests'])
  })

  it('expects tasks of new callers to take as long as its options say', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `a${index}`)
    const slow = new Tasks({})
    await slow.start(...names)
    expect(slow.refused).toHaveLength(279)
    const quick = new Tasks({ firstAverageMs: 2 })
    await quick.start(...names)
    expect(quick.refused).toEqual([])
  })

  it('accepts tasks of a caller whose slow tasks were long ago', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1')
    await tasks.timer.pass(4000)
    await tasks.end('a1')
    await tasks.timer.pass(60_000)
    await tasks.start('a2', 'a3')
    expect(tasks.refused).toEqual([])
  })

  it('expects slow tasks while one of them is still running', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1')
    await tasks.timer.pass(4000)
    await tasks.end('a1')
    await tasks.start('a2')
    await tasks.timer.pass(60_000)
    await tasks.start('a3')
    expect(tasks.refused).toEqual(['a3 TooManyRequests'])
  })

  it('does not expect tasks to take as long as one whose client disconnected', async () => {
    const tasks = new Tasks({})
    const client = new AbortController()
    await tasks.startWith('a1', client.signal)
    await tasks.timer.pass(4000)
    client.abort()
    await tasks.end('a1')
    await tasks.start('a2', 'a3')
    expect(tasks.refused).toEqual([])
  })

  it('starts as many tasks as fit once the other callers are no longer active', async () => {
    const tasks = new Tasks({ slots: 4, slotsPerCaller: 3, maxWaitMs: 100_000 })
    await tasks.start('b1', 'b2', 'a1', 'a2', 'a3', 'a4')
    expect(tasks.started).toEqual(['b1', 'b2', 'a1', 'a2'])
    await tasks.end('b1', 'b2', 'a1', 'a2')
    expect(tasks.started.slice(4)).toEqual(['a3', 'a4'])
    await tasks.start('a5', 'a6')
    expect(tasks.started.slice(6)).toEqual([])
    // No task ends or arrives.
    await tasks.timer.pass(1000)
    expect(tasks.started.slice(6)).toEqual(['a5'])
    await tasks.end('a3', 'a4', 'a5', 'a6')
    expect(tasks.timer.pending).toBe(0)
  })

  it('shares the slots of a caller that stops waiting', async () => {
    const tasks = new Tasks({ slots: 4, slotsPerCaller: 3, slotsPerKey: 1, maxWaitMs: 100_000 })
    const client = new AbortController()
    await tasks.start('a1/k')
    await tasks.startWith('b1/k', client.signal)
    await tasks.start('a2', 'a3')
    await tasks.timer.pass(1000)
    expect(tasks.started).toEqual(['a1/k', 'a2'])
    client.abort(new Error('gone'))
    await settled()
    expect(tasks.started).toEqual(['a1/k', 'a2', 'a3'])
  })

  it('drops a waiting task when its client disconnects', async () => {
    const tasks = new Tasks({})
    const client = new AbortController()
    await tasks.start('a1')
    await tasks.startWith('a2', client.signal)
    await tasks.start('a3')
    client.abort(new Error('gone'))
    await settled()
    expect(tasks.refused).toEqual(['a2 gone'])
    await tasks.end('a1')
    expect(tasks.started).toEqual(['a1', 'a3'])
    await tasks.startWith('a4', client.signal)
    expect(tasks.refused).toEqual(['a2 gone', 'a4 gone'])
  })

  it('refuses waiting and later tasks when closed, and lets running ones finish', async () => {
    const tasks = new Tasks({})
    await tasks.start('a1', 'a2')
    tasks.queue.close('Stopping.')
    await settled()
    await tasks.start('b1')
    expect(tasks.refused).toEqual(['a2 ServiceUnavailable', 'b1 ServiceUnavailable'])
    await tasks.end('a1')
    expect(tasks.started).toEqual(['a1'])
  })

  it('frees the slot of a failed task', async () => {
    const { queue } = new Tasks({ slots: 1 })
    const owner = { callerId: 'a' }
    await expect(queue.run(owner, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await queue.run(owner, async () => 'done')).toBe('done')
  })
})
