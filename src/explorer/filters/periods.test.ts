import { expect, it } from 'vitest'
import { dayOf, momentOf, periodsAt } from './periods.ts'

const periodAt = (now: string, name: string) => {
  const found = periodsAt(new Date(now)).find((each) => each.name === name)
  return found && [found.from, found.to]
}

it('names periods by the day in UTC', () => {
  const at = (name: string) => periodAt('2026-01-31T23:30:00Z', name)
  expect(at('Today')).toEqual(['2026-01-31', '2026-01-31'])
  expect(at('Last 7 days')).toEqual(['2026-01-25', '2026-01-31'])
  expect(at('This month')).toEqual(['2026-01-01', '2026-01-31'])
  expect(at('Last month')).toEqual(['2025-12-01', '2025-12-31'])
  expect(at('This quarter')).toEqual(['2026-01-01', '2026-03-31'])
  expect(at('Last quarter')).toEqual(['2025-10-01', '2025-12-31'])
  expect(at('This year')).toEqual(['2026-01-01', '2026-12-31'])
  expect(at('Last year')).toEqual(['2025-01-01', '2025-12-31'])
  expect(periodAt('2024-03-01T00:00:00Z', 'Yesterday')).toEqual(['2024-02-29', '2024-02-29'])
})

it('takes a day for its first or its last moment', () => {
  for (const edge of ['start', 'end'] as const) {
    expect(dayOf(momentOf('2026-03-31', edge), edge)).toBe('2026-03-31')
  }
  expect(dayOf('2026-03-31T00:00:00Z', 'start')).toBe('2026-03-31')
  expect(dayOf('2026-03-31T00:00:01Z', 'start')).toBeUndefined()
  expect(dayOf('2026-03-31T23:59:59Z', 'end')).toBeUndefined()
})
