import { describe, expect, it } from 'vitest'
import { FairTurns } from './fair-turns.ts'

/** An event loop whose iterations and clock only the test advances. */
function loop() {
  let nowMs = 0
  let callbacks: (() => void)[] = []
  const turns = new FairTurns({
    now: () => nowMs,
    nextRound: (callback) => void callbacks.push(callback),
  })
  const done: string[] = []
  /** Requests a turn for work of some milliseconds. */
  const work = (name: string, durationMs = 1) => {
    const run = () => {
      done.push(name)
      nowMs += durationMs
    }
    const turn = turns.take(name.slice(0, 1))
    if (turn === undefined) run()
    else void turn.then(run)
  }
  const round = async () => {
    const due = callbacks
    callbacks = []
    for (const callback of due) {
      callback()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const wait = (ms: number) => {
    nowMs += ms
  }
  return { turns, work, round, wait, done, idle: () => callbacks.length === 0 }
}

describe('turns on the main thread', () => {
  it('are granted immediately while there is little work', async () => {
    const { work, round, done, idle } = loop()
    work('a1')
    work('b1')
    expect(done).toEqual(['a1', 'b1'])
    await round()
    expect(idle()).toBe(true)
  })

  it('last until the event loop has polled for input', async () => {
    const { turns, work, round } = loop()
    work('a1')
    const { round: first } = turns
    expect(turns.round).toBe(first)
    await round()
    expect(turns.round).not.toBe(first)
  })

  it('alternate between callers when there is much work', async () => {
    const { work, round, done, idle } = loop()
    for (let n = 1; n <= 8; n += 1) work(`a${n}`)
    work('b1')
    work('b2')
    // The first request of each caller runs at once.
    expect(done).toEqual(['a1', 'b1'])
    for (let n = 0; n < 4; n += 1) await round()
    // The second request of b waits for one request of a, not for all of them.
    expect(done.slice(0, 4)).toEqual(['a1', 'b1', 'a2', 'b2'])
    work('c1')
    expect(done).toContain('c1')
    for (let n = 0; n < 20 && !idle(); n += 1) await round()
    const ofA = done.filter((name) => name.startsWith('a'))
    expect(ofA).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8'])
    expect(idle()).toBe(true)
  })

  it('are longer while there is only one caller', async () => {
    const { work, round, wait, done, idle } = loop()
    const burst = async (caller: string) => {
      done.length = 0
      for (let n = 1; n <= 5; n += 1) work(`${caller}${n}`, 0.3)
      const granted = done.length
      while (!idle()) await round()
      return granted
    }
    expect(await burst('a')).toBe(4)
    work('b1')
    await round()
    expect(await burst('a')).toBe(1)
    wait(1000)
    expect(await burst('a')).toBe(4)
    expect(done).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })
})
