import { expect, it } from 'vitest'
import { CallerMap } from './caller-map.ts'

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
