import { expect, it } from 'vitest'
import { LagClock } from './lag-clock.ts'

it('tells since when changes have been missing', () => {
  const clock = new LagClock()
  clock.measure({ lsn: 10n, atMs: 0 }, 10n)
  expect(clock.lagMsAt(5000)).toBe(0)
  clock.measure({ lsn: 20n, atMs: 10_000 }, 10n)
  clock.measure({ lsn: 30n, atMs: 20_000 }, 15n)
  expect(clock.lagMsAt(25_000)).toBe(15_000)
  // The first of both is reached, the second is not.
  clock.measure({ lsn: 40n, atMs: 30_000 }, 25n)
  expect(clock.lagMsAt(31_000)).toBe(11_000)
  clock.measure({ lsn: 40n, atMs: 40_000 }, 40n)
  expect(clock.lagMsAt(50_000)).toBe(0)
})

it('grows while the source cannot be asked', () => {
  const clock = new LagClock()
  clock.measure({ lsn: 10n, atMs: 0 }, 10n)
  clock.miss(10_000)
  clock.miss(20_000)
  expect(clock.lagMsAt(25_000)).toBe(15_000)
  clock.measure({ lsn: 20n, atMs: 30_000 }, 20n)
  expect(clock.lagMsAt(31_000)).toBe(0)
})
