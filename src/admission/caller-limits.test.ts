import { describe, expect, it } from 'vitest'
import { CallerLimits, type CallerLimitsOptions, CallerMap, TokenBucket } from './caller-limits.ts'

function limits(options: Partial<CallerLimitsOptions> = {}) {
  let nowMs = 0
  const counted = new CallerLimits({
    maxConcurrentRequests: 'none',
    requestsPerMinute: 'none',
    now: () => nowMs,
    ...options,
  })
  const enter = (callerId: string): unknown => {
    try {
      counted.enter(callerId)
      return 'entered'
    } catch (error) {
      return (error as { parameters: unknown }).parameters
    }
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { enter, leave: (callerId: string) => counted.leave(callerId), pass }
}

describe('caller limits', () => {
  it('count requests in progress per caller', () => {
    const { enter, leave } = limits({ maxConcurrentRequests: 2 })
    expect([enter('a'), enter('a'), enter('b')]).toEqual(['entered', 'entered', 'entered'])
    expect(enter('a')).toEqual({
      reason: 'More than 2 requests are in progress.',
      maxConcurrentRequests: 2,
      retryAfterSeconds: 1,
    })
    leave('a')
    expect(enter('a')).toBe('entered')
  })

  it('count requests per minute, and refill them one by one', () => {
    const { enter, pass } = limits({ requestsPerMinute: 6 })
    for (let request = 0; request < 6; request += 1) expect(enter('a')).toBe('entered')
    expect(enter('a')).toMatchObject({ requestsPerMinute: 6, retryAfterSeconds: 10 })
    expect(enter('b')).toBe('entered')
    pass(9000)
    expect(enter('a')).toMatchObject({ retryAfterSeconds: 1 })
    pass(1000)
    expect(enter('a')).toBe('entered')
    expect(enter('a')).toMatchObject({ retryAfterSeconds: 10 })
  })

  it('never accumulate more than the requests of one minute', () => {
    const { enter, pass } = limits({ requestsPerMinute: 2 })
    enter('a')
    pass(3_600_000)
    expect([enter('a'), enter('a')]).toEqual(['entered', 'entered'])
    expect(enter('a')).not.toBe('entered')
  })

  it('do not count a request against the rate if it was refused for concurrency', () => {
    const { enter, leave } = limits({ requestsPerMinute: 2, maxConcurrentRequests: 1 })
    enter('a')
    enter('a')
    leave('a')
    expect(enter('a')).toBe('entered')
  })
})

it('evicts idle callers once there are many, and never an active one', () => {
  const callers = new CallerMap({
    create: () => ({ isActive: false }),
    isIdle: ({ isActive }) => !isActive,
    maxCallers: 4,
  })
  const active = callers.findOrCreate('active')
  active.isActive = true
  for (let n = 0; n < 100; n += 1) {
    callers.findOrCreate(`idle ${n}`)
    expect(callers.size).toBeLessThanOrEqual(4)
  }
  expect(callers.find('active')).toBe(active)
  expect(callers.find('idle 0')).toBeUndefined()
  for (let n = 0; n < 100; n += 1) callers.findOrCreate(`active ${n}`).isActive = true
  expect(callers.size).toBeGreaterThanOrEqual(101)
})

describe('a token bucket', () => {
  it('starts full, and refills at its rate up to its capacity', () => {
    const bucket = new TokenBucket({ capacity: 2, tokensPerSecond: 0.5 }, 0)
    expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([true, true, false])
    expect(bucket.secondsUntilToken()).toBe(2)
    expect([bucket.take(1999), bucket.take(2000), bucket.take(2000)]).toEqual([false, true, false])
    expect(bucket.isFull(5999)).toBe(false)
    expect(bucket.isFull(1_000_000)).toBe(true)
    expect([bucket.take(1_000_000), bucket.take(1_000_000)]).toEqual([true, true])
    expect(bucket.take(1_000_000)).toBe(false)
  })

  it('refills nothing when the clock is set back, and goes on from there', () => {
    const bucket = new TokenBucket({ capacity: 1, tokensPerSecond: 1 }, 10_000)
    expect([bucket.take(10_000), bucket.take(0), bucket.take(999)]).toEqual([true, false, false])
    expect(bucket.take(1000)).toBe(true)
  })
})
