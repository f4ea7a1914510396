import { expect, it } from 'vitest'
import { ColumnLoads } from './column-loads.ts'

function following() {
  const dropped: string[] = []
  const loads = new ColumnLoads<number>((replacement) => dropped.push(replacement))
  return { dropped, loads, begin: (name: string, slot = 1) => loads.begin(name, () => slot) }
}

it('all batches of a load go to one slot, which has its columns in the end', () => {
  const { loads, begin, dropped } = following()
  for (const slot of [1, 2, 3]) {
    const batch = begin('a', slot)
    expect(batch?.slot).toBe(1)
    batch?.end(true)
  }
  expect(loads.take('a')).toBe(1)
  expect(loads.take('a')).toBe(undefined)
  expect(dropped).toEqual([])
})

it('a load with a batch that was not committed has no columns', () => {
  const { loads, begin, dropped } = following()
  begin('a')?.end(true)
  begin('a')?.end(false)
  expect(begin('a')).toBe(undefined)
  expect(loads.take('a')).toBe(undefined)
  expect(dropped).toEqual(['a'])
})

it('a load that ends during a batch has no columns', () => {
  const { loads, begin, dropped } = following()
  const batch = begin('a')
  expect(loads.take('a')).toBe(undefined)
  batch?.end(true)
  expect(dropped).toEqual(['a'])
})

it('only some loads are followed at once', () => {
  const { loads, begin, dropped } = following()
  begin('a')?.end(true)
  begin('b')?.end(true)
  expect(begin('c')).toBe(undefined)
  loads.drop('a')
  expect(begin('c')).toBeDefined()
  expect(dropped).toEqual(['a'])
})
