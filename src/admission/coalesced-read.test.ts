import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CoalescedRead } from './coalesced-read.ts'

/** Reads that end when the test says so, with their number as the value. */
function controlledReads() {
  const started: PromiseWithResolvers<number>[] = []
  const read = () => {
    const reading = Promise.withResolvers<number>()
    started.push(reading)
    return reading.promise
  }
  return { started, read }
}

describe('coalesced reads', () => {
  it('share a read that starts after all of them arrived', async () => {
    const { started, read } = controlledReads()
    const reads = new CoalescedRead(read)
    const first = reads.run()
    const others = [reads.run(), reads.run(), reads.run()]
    expect(started).toHaveLength(1)
    started[0]?.resolve(1)
    expect(await first).toBe(1)
    await setImmediate()
    expect(started).toHaveLength(2)
    started[1]?.resolve(2)
    expect(await Promise.all(others)).toEqual([2, 2, 2])
    expect(started).toHaveLength(2)
  })

  it('start again after a failure', async () => {
    const { started, read } = controlledReads()
    const reads = new CoalescedRead(read)
    const [first, second] = [reads.run(), reads.run()]
    started[0]?.reject(new Error('unreachable'))
    await expect(first).rejects.toThrow('unreachable')
    await setImmediate()
    started[1]?.resolve(2)
    expect(await second).toBe(2)
  })

  it('tell when none is left', async () => {
    const { started, read } = controlledReads()
    let idle = 0
    const reads = new CoalescedRead(read, () => {
      idle += 1
    })
    const both = Promise.all([reads.run(), reads.run()])
    started[0]?.resolve(1)
    await setImmediate()
    expect(idle).toBe(0)
    started[1]?.resolve(2)
    await both
    await setImmediate()
    expect(idle).toBe(1)
  })
})
