import { describe, expect, it } from 'vitest'
import { settled, TestTimer } from '../../test/support/test-timer.ts'
import { Admission } from './admission.ts'
import { FairTurns } from './fair-turns.ts'

/** Changes of definitions, named by caller and number (`a1`). */
class Changes {
  readonly timer = new TestTimer()
  readonly started: string[] = []
  readonly refused: unknown[] = []
  readonly #admission: Admission
  readonly #ends = new Map<string, () => void>()

  constructor() {
    const { timer } = this
    const { now } = timer
    const limits = {
      maxConcurrentRequests: 'none',
      requestsPerMinute: 'none',
      maxFollowers: 1,
      now,
    } as const
    const turns = new FairTurns({ now, nextRound: () => {} })
    this.#admission = new Admission(limits, turns, timer)
  }

  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const request = {
        callerId: name.slice(0, 1),
        signal: () => new AbortController().signal,
        defer: (end: () => void) => void this.#ends.set(name, end),
      }
      this.#admission.awaitChange(request).then(
        () => this.started.push(name),
        (error) => this.refused.push(error),
      )
      await settled()
    }
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }

  takeTurns(...callers: readonly string[]): void {
    for (const caller of callers) void this.#admission.takeTurn(caller)
  }
}

describe('changes of definitions', () => {
  it('of one caller take turns, without delay while nobody else sends requests', async () => {
    const changes = new Changes()
    await changes.start('a1', 'a2', 'b1')
    expect(changes.started).toEqual(['a1', 'b1'])
    changes.takeTurns('a')
    await changes.timer.pass(300)
    await changes.end('a1')
    expect(changes.started).toEqual(['a1', 'b1', 'a2'])
  })

  it('of one caller are far apart if they are slow while others send requests', async () => {
    const changes = new Changes()
    await changes.start('a1', 'a2')
    await changes.timer.pass(150)
    changes.takeTurns('a', 'b')
    await changes.end('a1')
    await changes.start('c1')
    await changes.timer.pass(999)
    expect(changes.started).toEqual(['a1', 'c1'])
    await changes.timer.pass(1)
    expect(changes.started).toEqual(['a1', 'c1', 'a2'])
  })

  it('follow each other at once if they are quick, and after two seconds if they take longest', async () => {
    const changes = new Changes()
    await changes.start('a1', 'a2', 'a3')
    await changes.timer.pass(50)
    changes.takeTurns('a', 'b')
    await changes.end('a1')
    expect(changes.started).toEqual(['a1', 'a2'])
    await changes.timer.pass(10_000)
    changes.takeTurns('a', 'b')
    await changes.end('a2')
    await changes.timer.pass(2000)
    expect(changes.started).toEqual(['a1', 'a2', 'a3'])
    expect(changes.refused).toEqual([])
  })
})
