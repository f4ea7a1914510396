import { describe, expect, it } from 'vitest'
import { differenceOf } from './compare-output.ts'

describe('the output that a page shows', () => {
  it.for([
    ['{"a": 1, "b": ["x"]}', '{"b":["x"],"a":1}', undefined],
    ['{"a": 1}', '{"a":2}', '$.a: shown 1, got 2'],
    ['{"a": 1}', '{"a":1,"b":2}', '$.b is not shown'],
    ['{"a": 1, "…": "…"}', '{"a":1,"b":2}', undefined],
    ['{"a": 1, "b": 2}', '{"a":1}', '$.b: shown 2, got undefined'],
    ['{"token": "…"}', '{"token":"v1.abc"}', undefined],
    ['{"token": "…"}', '{}', '$.token is missing'],
    ['{"token": "v1.…"}', '{"token":"v2.abc"}', '$.token: shown "v1.…", got "v2.abc"'],
    ['[1, "…"]', '[1,2,3]', undefined],
    ['[1, 2, "…"]', '[1]', '$: shown 2 elements, got 1'],
    ['[1]', '[1,2]', '$: shown 1 elements, got 2'],
    ['{"a": 1}\n{"a": "…"}', '{"a":1}\n{"a":2}\n', undefined],
    ['a  b\nc…e', 'a  b\ncde\n', undefined],
    ['a…b…c', 'a-b-x', 'line 1: shown "a…b…c", got "a-b-x"'],
    ['a', 'a\nb', 'not shown: b'],
  ] as const)('%j for %j: %s', ([shown, actual, difference]) => {
    expect(differenceOf(shown, actual)).toBe(difference)
  })
})
