import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { fixture } from '../../../test/support/store-fixture.ts'
import { storePlace } from '../../../test/support/store-place.ts'
import { Slots } from '../slots.ts'
import { openPostgresStore } from './open.ts'

/** Work that is begun when it has a slot, and ends when it is told to. */
class Jobs {
  readonly begun: string[] = []
  readonly refused: string[] = []
  readonly #slots: Slots
  readonly #ends = new Map<string, () => void>()
  readonly #patience: (() => void)[] = []

  constructor(count: number, perKey: number) {
    this.#slots = new Slots({
      count,
      perKey,
      busyReason: 'busy',
      patience: () => new Promise<void>((resolve) => this.#patience.push(resolve)),
    })
  }

  /** Names are a key and a number: `a1` is the first that works for `a`; `-` stands for no key. */
  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const end = new Promise<void>((resolve) => this.#ends.set(name, resolve))
      const key = name.startsWith('-') ? undefined : name.slice(0, 1)
      const done = this.#slots.use(key, () => {
        this.begun.push(name)
        return end
      })
      done.catch(({ errorName }) => this.refused.push(`${name} ${errorName}`))
    }
    await settled()
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }

  /** Nobody who waits now wants to wait any longer. */
  async losePatience(): Promise<void> {
    for (const lose of this.#patience.splice(0)) lose()
    await settled()
  }
}

/** Everything that can go on by itself has done so. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('slots', () => {
  it('let so many work at once, and the others in the order in which they came', async () => {
    const jobs = new Jobs(2, 2)
    await jobs.start('a1', 'b1', 'c1', '-1', 'a2')
    expect(jobs.begun).toEqual(['a1', 'b1'])
    await jobs.end('b1')
    expect(jobs.begun).toEqual(['a1', 'b1', 'c1'])
    await jobs.end('a1')
    await jobs.end('c1')
    expect(jobs.begun).toEqual(['a1', 'b1', 'c1', '-1', 'a2'])
  })

  it('leave room for others when many work for the same', async () => {
    const jobs = new Jobs(5, 2)
    await jobs.start('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'c1')
    expect(jobs.begun).toEqual(['a1', 'a2', 'b1', 'c1'])
    await jobs.end('b1')
    await jobs.start('b2', 'd1')
    expect(jobs.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2', 'd1'])
    await jobs.end('a2')
    await jobs.end('a1')
    expect(jobs.begun.slice(6)).toEqual(['a3', 'a4'])
  })

  it('count no limit for work that is for nothing in particular', async () => {
    const jobs = new Jobs(3, 1)
    await jobs.start('-1', '-2', '-3', '-4')
    expect(jobs.begun).toEqual(['-1', '-2', '-3'])
  })

  it('refuse whoever has waited for too long, and nobody else', async () => {
    const jobs = new Jobs(2, 1)
    await jobs.start('a1', 'a2', 'a3')
    await jobs.losePatience()
    expect(jobs.refused).toEqual(['a2 ServiceUnavailable', 'a3 ServiceUnavailable'])
    await jobs.start('a4', 'b1')
    await jobs.end('a1')
    // Those who were refused do not come back, and what they did not use is there.
    expect(jobs.begun).toEqual(['a1', 'b1', 'a4'])
    await jobs.losePatience()
    expect(jobs.refused).toHaveLength(2)
  })

  it('are free again after work that failed', async () => {
    const slots = new Slots({ count: 1, perKey: 1, busyReason: 'busy' })
    const fail = () => Promise.reject(new Error('failed'))
    await expect(slots.use('a', fail)).rejects.toThrow('failed')
    expect(await slots.use('a', async () => 'done')).toBe('done')
  })
})

describe('writers of a type that somebody else has locked', () => {
  it('do not hold up those of another type', async () => {
    await using place = await storePlace()
    await using store = await openPostgresStore(place.name)
    const locked = await fixture(store)
    const free = await fixture(store, OTHERS)
    const somebody = new Client({ connectionString: place.name })
    await somebody.connect()
    await somebody.query('BEGIN')
    const lock = 'SELECT 1 FROM oqs_object_type WHERE rid = $1 FOR UPDATE'
    await somebody.query(lock, [locked.type.rid])
    let settledCount = 0
    const waiting = Array.from({ length: 6 }, (_, n) =>
      locked.commit([[`k${n}`, 'late']]).finally(() => {
        settledCount += 1
      }),
    )
    await free.commit([['a', 'at once']])
    expect(settledCount).toBe(0)
    await somebody.end()
    await Promise.all(waiting)
    expect(await locked.keys()).toHaveLength(6)
  })
})

const OTHERS = {
  apiName: 'others',
  objectTypes: [
    {
      apiName: 'other',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, text: { type: 'string' as const } },
    },
  ],
}
