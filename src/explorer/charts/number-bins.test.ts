import { describe, expect, it } from 'vitest'
import { numberBins, type Shape } from './number-bins.ts'

/** Values that are spread evenly. */
function even(min: number, max: number): Shape {
  const at = (share: number) => min + share * (max - min)
  return { min, max, low: at(0.05), median: at(0.5), high: at(0.95), count: 1000 }
}

const starts = ({ bins }: ReturnType<typeof numberBins>) => bins.map(({ from }) => from)

describe('numberBins', () => {
  it('cuts a range into bins with round edges that touch', () => {
    const { bins } = numberBins(even(3, 97))
    expect(bins[0]).toEqual({ from: 0, to: 5 })
    expect(bins.at(-1)).toEqual({ from: 95, to: 100 })
    for (const [index, bin] of bins.entries()) {
      if (index > 0) expect(bin.from).toBe(bins[index - 1]?.to)
    }
  })

  it('keeps fractions readable', () => {
    expect(numberBins(even(0, 2)).bins[3]).toEqual({ from: 0.3, to: 0.4 })
  })

  it('stays linear over any range if values are spread evenly', () => {
    expect(numberBins(even(0, 22_000_000)).scale).toBe('linear')
  })

  it('cuts skewed values in steps of 1, 2 and 5, from the smallest on', () => {
    const shape = { min: 0, max: 22e6, low: 10, median: 900, high: 40_000, count: 1000 }
    const binned = numberBins(shape, true)
    expect(binned).toMatchObject({
      scale: 'logarithmic',
      isOpenBelow: false,
      isOpenAbove: false,
    })
    expect(starts(binned).slice(0, 4)).toEqual([0, 1, 2, 5])
    expect(binned.bins.at(-1)).toEqual({ from: 20_000_000, to: 50_000_000 })
    expect(starts(numberBins({ ...shape, min: 7, low: 8 }, true)).slice(0, 3)).toEqual([5, 10, 20])
    const small = { min: 0, max: 3, low: 0.0002, median: 0.001, high: 0.5, count: 1000 }
    expect(starts(numberBins(small)).slice(0, 3)).toEqual([0, 0.0002, 0.0005])
  })

  it('lets outliers share a bin, whatever their distance', () => {
    const ages = { ...even(0, 100), min: -7, max: 5_000_000 }
    const binned = numberBins(ages, true)
    expect(binned).toMatchObject({ scale: 'linear', isOpenBelow: false, isOpenAbove: true })
    expect(binned.bins.at(-1)).toEqual({ from: 180, to: 190 })
  })

  it('keeps a tail that is not far', () => {
    const distances = { min: 30, max: 4475, low: 120, median: 600, high: 1900, count: 1000 }
    expect(numberBins(distances, true)).toMatchObject({ isOpenBelow: false, isOpenAbove: false })
  })

  it('takes the extremes of few values, which have no shape', () => {
    const few = { min: 1, max: 1_000_000, low: 1, median: 1, high: 1_000_000, count: 2 }
    expect(numberBins(few, true)).toMatchObject({ scale: 'linear', isOpenAbove: false })
  })

  it('cuts whole numbers nowhere but between them', () => {
    expect(starts(numberBins(even(0, 3), true))).toEqual([0, 1, 2, 3])
  })

  it('cuts neighbours of very large numbers', () => {
    const { bins } = numberBins(even(1e18, 1e18 + 100_000), true)
    expect(bins.length).toBeGreaterThan(0)
    expect(bins[0]?.from).toBeLessThanOrEqual(1e18)
    expect(bins.at(-1)?.to).toBeGreaterThan(1e18 + 100_000)
    expect(bins.every(({ from, to }) => from < to)).toBe(true)
  })

  it('cuts the range of all numbers', () => {
    const { MAX_VALUE } = Number
    const shape = {
      min: -MAX_VALUE,
      max: MAX_VALUE,
      low: -1e300,
      median: 0,
      high: 1e300,
      count: 99,
    }
    expect(numberBins(shape).bins.length).toBeGreaterThan(2)
    const positive = { ...shape, min: 0, low: 1, median: 1e9, high: MAX_VALUE }
    expect(numberBins(positive).bins.every(({ from, to }) => from < to)).toBe(true)
  })

  it('has one bin for one value, and none for no values', () => {
    expect(numberBins(even(7, 7)).bins).toEqual([{ from: 7, to: 8 }])
    expect(numberBins({ ...even(0, 1), min: Number.NaN }).bins).toEqual([])
  })
})
