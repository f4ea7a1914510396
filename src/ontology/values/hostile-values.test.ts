import { describe, expect, it } from 'vitest'
import { scalarReader, valueReader } from './read-value.ts'

const readDecimal = scalarReader('decimal')

const refused = expect.objectContaining({ name: 'RefusedValue' })

describe('hostile numbers', () => {
  it.each(['{"toString":1}', '{"toString":null,"valueOf":null}', '{"__proto__":null}'])(
    'are refused as a decimal without a crash: %s',
    (json) => {
      expect(() => readDecimal(JSON.parse(json))).toThrow(refused)
    },
  )

  it('are refused as a decimal without a crash at the maximum nesting of a request', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(() => readDecimal(deep)).toThrow(refused)
  })

  it.each(['float', 'double'] as const)(
    'are refused in linear time as a %s of four million digits',
    { timeout: 5000 },
    (type) => {
      for (const text of [`${'1'.repeat(4e6)}x`, `${'1'.repeat(2e6)}.${'1'.repeat(2e6)}x`]) {
        expect(() => scalarReader(type)(text)).toThrow(refused)
      }
    },
  )

  it('include the largest float, as most languages print it', () => {
    expect(scalarReader('float')(3.4028235e38)).toBe('3.4028235e+38')
    expect(scalarReader('float')('-3.4028235E38')).toBe('-3.4028235e+38')
  })
})

describe('the text of a value', () => {
  it('has the fields of a struct in the order of the type, not of the request', () => {
    const read = valueReader({
      kind: 'struct',
      fields: new Map([
        ['a', { kind: 'scalar', type: 'string' }],
        ['b', { kind: 'scalar', type: 'string' }],
      ]),
    })
    expect(read({ b: '2', a: '1' })).toBe('{"a":"1","b":"2"}')
  })

  it('is refused with the path of an invalid attachment RID', () => {
    expect(() => scalarReader('attachment')({ rid: 5 })).toThrow(
      expect.objectContaining({ reason: 'is not a string', path: '.rid' }),
    )
  })
})

describe('timestamps as other languages print them', () => {
  it('can lack seconds and have lower-case letters', () => {
    const read = scalarReader('timestamp')
    expect(read('2026-01-31T12:00Z')).toBe('"2026-01-31T12:00:00Z"')
    expect(read('2026-01-31t12:00:05.5z')).toBe('"2026-01-31T12:00:05.500Z"')
    expect(() => read('2026-01-31T12Z')).toThrow(refused)
    expect(() => read('2026-01-31T12:00.5Z')).toThrow(refused)
  })
})
