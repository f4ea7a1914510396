import { describe, expect, it } from 'vitest'
import { inputOf } from './filter-input.ts'

describe('the input of a filter', () => {
  it('writes timestamps in UTC, whatever the zone of the browser', () => {
    const { toInput, fromInput } = inputOf('timestamp')
    expect(fromInput('2026-11-16T00:30')).toBe('2026-11-16T00:30:00.000Z')
    expect(toInput('2026-11-16T00:30:00.000Z')).toBe('2026-11-16T00:30:00')
    expect(toInput('nonsense')).toBe('')
  })

  it('accepts every digit of a long', () => {
    const { attributes, fromInput } = inputOf('long')
    expect('-9223372036854775808').toMatch(new RegExp(`^(?:${attributes.pattern})$`, 'v'))
    expect(fromInput('9007199254740993')).toBe('9007199254740993')
  })

  it('accepts numbers as people write them', () => {
    const pattern = new RegExp(`^(?:${inputOf('double').attributes.pattern})$`, 'v')
    for (const text of ['1', '-1.5', '.5', '1e-9']) expect(text).toMatch(pattern)
    for (const text of ['', '1.', 'x', '1,5']) expect(text).not.toMatch(pattern)
  })

  it('suggests values for texts only', () => {
    expect(inputOf('string').hasSuggestions).toBe(true)
    expect(inputOf(undefined).hasSuggestions).toBe(true)
    expect(inputOf('integer').hasSuggestions).toBe(false)
  })
})
