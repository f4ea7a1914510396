import { describe, expect, it } from 'vitest'
import { MemoryBudget } from './memory-budget.ts'

describe('a memory budget', () => {
  it('refuses what does not fit and leaves the rest as it was', () => {
    const budget = new MemoryBudget(100)
    const batch = budget.reserve(60)
    expect(() => budget.reserve(50)).toThrow('ServiceUnavailable')
    expect(() => batch.grow(50)).toThrow('ServiceUnavailable')
    batch.grow(40)
    expect(() => budget.refuseWhenFull()).toThrow('ServiceUnavailable')
    batch.release()
    batch.release()
    expect(budget.used).toBe(0)
    budget.refuseWhenFull()
  })

  it('counts what is already there, past the end too', () => {
    const budget = new MemoryBudget(100)
    const page = budget.hold(150)
    expect(budget.used).toBe(150)
    page.release()
    expect(budget.used).toBe(0)
  })
})
