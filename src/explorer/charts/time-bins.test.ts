import { describe, expect, it } from 'vitest'
import { calendarUnit, timeBins } from './number-bins.ts'

describe('calendarUnit', () => {
  it('chooses a unit by the length of the range', () => {
    const start = Date.UTC(2026, 0, 1)
    expect(calendarUnit(start, start + 3_600_000, false)).toBe('MINUTES')
    expect(calendarUnit(start, Date.UTC(2026, 1, 1), false)).toBe('DAYS')
    expect(calendarUnit(start, Date.UTC(2036, 0, 1), false)).toBe('MONTHS')
    expect(calendarUnit(start, start + 3_600_000, true)).toBe('DAYS')
  })
})

describe('timeBins', () => {
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  it('covers a range without gaps, by the calendar', () => {
    const months = timeBins(Date.UTC(2000, 0, 31), Date.UTC(2000, 2, 1), 'MONTHS')
    expect(months.map(({ from }) => text(from))).toEqual(['2000-01-01', '2000-02-01', '2000-03-01'])
    expect(text(months.at(-1)?.to ?? 0)).toBe('2000-04-01')
    const [quarter] = timeBins(Date.UTC(2000, 5, 5), Date.UTC(2000, 5, 5), 'QUARTERS')
    expect(text(quarter?.from ?? 0)).toBe('2000-04-01')
    const [year] = timeBins(Date.parse('0050-05-05'), Date.parse('0050-05-05'), 'YEARS')
    expect(text(year?.from ?? 0)).toBe('0050-01-01')
  })

  it('makes few bins of round years over millennia', () => {
    const bins = timeBins(Date.parse('0001-01-01'), Date.parse('9999-12-31'), 'YEARS')
    expect(bins.length).toBeLessThan(125)
    expect(text(bins[1]?.from ?? 0)).toBe('0100-01-01')
    for (const [index, bin] of bins.entries()) {
      if (index > 0) expect(bin.from).toBe(bins[index - 1]?.to)
    }
  })

  it('starts weeks on Monday, also before 1970', () => {
    for (const day of ['2026-11-16', '2026-11-22', '1969-12-31']) {
      const [week] = timeBins(Date.parse(day), Date.parse(day), 'WEEKS')
      expect(new Date(week?.from ?? 0).getUTCDay()).toBe(1)
    }
  })
})
