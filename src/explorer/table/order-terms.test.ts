import { describe, expect, it } from 'vitest'
import { addTerm, orderOf, toggleOrder } from './order-terms.ts'

const a = { property: 'a', direction: 'asc' } as const
const b = { property: 'b', direction: 'desc' } as const

describe('the order of a table', () => {
  it('goes up, down and away with the presses on one header', () => {
    const up = toggleOrder([], 'a', false)
    const down = toggleOrder(up, 'a', false)
    expect([up, down, toggleOrder(down, 'a', false)]).toEqual([
      [a],
      [{ ...a, direction: 'desc' }],
      [],
    ])
  })

  it('replaces the order by the pressed column, unless it is added', () => {
    expect(toggleOrder([b], 'a', false)).toEqual([a])
    expect(toggleOrder([b], 'a', true)).toEqual([b, a])
    expect(toggleOrder([b, a], 'a', true)).toEqual([b, { ...a, direction: 'desc' }])
    expect(toggleOrder([b, a], 'b', true)).toEqual([a])
    expect(toggleOrder([b, a], 'b', false)).toEqual([{ ...b, direction: 'asc' }])
  })

  it('changes a term where it stands', () => {
    expect(addTerm([b, a], { ...b, direction: 'asc' }, true)).toEqual([
      { ...b, direction: 'asc' },
      a,
    ])
    expect(orderOf([b, a], 'a')).toEqual({ ...a, rank: 2 })
  })
})
