import { describe, expect, it } from 'vitest'
import { calendarUnit, numberBins } from './bins.ts'

describe('numberBins', () => {
  it('cuts a range into bins with round edges that touch', () => {
    const bins = numberBins(3, 97, 10)
    expect(bins[0]).toEqual({ from: 0, to: 10 })
    expect(bins.at(-1)).toEqual({ from: 90, to: 100 })
    for (const [index, bin] of bins.entries()) {
      if (index > 0) expect(bin.from).toBe(bins[index - 1]?.to)
    }
  })

  it('keeps fractions readable', () => {
    expect(numberBins(0, 1, 10)[3]).toEqual({ from: 0.3, to: 0.4 })
  })

  it('cuts skewed values in steps of 1, 2 and 5', () => {
    const bins = numberBins(0, 22_000_000)
    expect(bins.slice(0, 4).map(({ from }) => from)).toEqual([0, 1, 2, 5])
    expect(bins.at(-1)).toEqual({ from: 20_000_000, to: 50_000_000 })
  })

  it('has one bin for one value, and none for no values', () => {
    expect(numberBins(7, 7)).toEqual([{ from: 7, to: 8 }])
    expect(numberBins(Number.NaN, 1)).toEqual([])
  })
})

describe('calendarUnit', () => {
  it('chooses a unit by the length of the range', () => {
    const start = Date.UTC(2026, 0, 1)
    expect(calendarUnit(start, start + 3_600_000, false)).toBe('MINUTES')
    expect(calendarUnit(start, Date.UTC(2026, 1, 1), false)).toBe('DAYS')
    expect(calendarUnit(start, Date.UTC(2036, 0, 1), false)).toBe('MONTHS')
    expect(calendarUnit(start, start + 3_600_000, true)).toBe('DAYS')
  })
})
