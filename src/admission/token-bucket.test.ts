import { describe, expect, it } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

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
