import { describe, expect, it } from 'vitest'
import { MemoryBudget } from './request-memory.ts'

describe('a memory budget', () => {
  it('refuses a reservation that does not fit, and keeps the others', () => {
    const budget = new MemoryBudget(200)
    const batches = ['a', 'b'].map((caller) => budget.reserve(caller, 90))
    expect(() => budget.reserve('c', 30)).toThrow('ServiceUnavailable')
    expect(() => batches[0]?.grow(30)).toThrow('Default:RequestEntityTooLarge')
    budget.reserve('c', 20)
    expect(() => budget.refuseWhenFull('d')).toThrow('ServiceUnavailable')
    for (const batch of batches) {
      batch.release()
      batch.release()
    }
    expect(budget.used).toBe(20)
    budget.refuseWhenFull('d')
  })

  it('gives one caller at most half of it', () => {
    const budget = new MemoryBudget(200)
    budget.reserve('a', 60)
    expect(() => budget.reserve('a', 60)).toThrow('ServiceUnavailable')
    budget.hold('a', 50)
    expect(() => budget.refuseWhenFull('a')).toThrow('ServiceUnavailable')
    budget.refuseWhenFull('b')
    budget.reserve('b', 90)
  })

  it('counts memory that is already allocated, even beyond the budget', () => {
    const budget = new MemoryBudget(100)
    const page = budget.hold('a', 150)
    expect(budget.used).toBe(150)
    page.release()
    expect(budget.used).toBe(0)
  })
})
