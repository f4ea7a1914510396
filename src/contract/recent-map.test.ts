import { describe, expect, it } from 'vitest'
import { RecentMap } from './recent-map.ts'

const names = (count: number) => Array.from({ length: count }, (_, number) => `n${number}`)

describe('a map of what was used last', () => {
  it('has at least the last half of its room, and at most all of it', () => {
    for (let count = 1; count < 60; count++) {
      // Looking counts as use, so each look is at a map of its own.
      const kept = names(count).filter((name) => filledWith(count).get(name) === name)
      expect(kept.length).toBeLessThanOrEqual(20)
      expect(kept).toEqual(names(count).slice(-kept.length))
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, 10))
    }
  })

  it('keeps what is used', () => {
    const map = new RecentMap<string>(20)
    map.set('used', 'value')
    for (const name of names(100)) {
      map.set(name, name)
      expect(map.get('used')).toBe('value')
    }
  })

  it('measures values as it is told to', () => {
    const sizes = [1, 15.9, 16, 15.9, 0.5, 3, 16, 16, 2]
    for (let count = 1; count <= sizes.length; count++) {
      const map = new RecentMap<number>(32, (size) => size)
      const all = sizes.slice(0, count).map((size, number) => [`n${number}`, size] as const)
      for (const [name, size] of all) map.set(name, size)
      const kept = all.filter(([name]) => map.delete(name)).map(([, size]) => size)
      expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(32)
      expect(kept).toEqual(sizes.slice(count - kept.length, count))
    }
  })

  it('puts and deletes again', () => {
    const map = new RecentMap<number>(10, (value) => value)
    for (const value of [1, 2, 3, 4]) map.set('a', value)
    expect(map.get('a')).toBe(4)
    expect(map.delete('a')).toBe(true)
    expect(map.delete('a')).toBe(false)
    expect(map.get('a')).toBeUndefined()
  })
})

function filledWith(count: number): RecentMap<string> {
  const map = new RecentMap<string>(20)
  for (const name of names(count)) map.set(name, name)
  return map
}
