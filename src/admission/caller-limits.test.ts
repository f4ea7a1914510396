import { describe, expect, it } from 'vitest'
import { CallerLimits, type CallerLimitsOptions } from './caller-limits.ts'

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
