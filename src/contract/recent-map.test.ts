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
    const map = new RecentMap<number>(100, (value) => value)
    map.set('a', 40)
    map.set('b', 1)
    map.set('c', 60)
    map.set('d', 60)
    expect(['a', 'b', 'c', 'd'].filter((name) => map.delete(name))).toEqual(['d'])
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
