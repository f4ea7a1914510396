import { expect, it } from 'vitest'
import { RepeatedKeys } from './repeated-keys.ts'

const row = (key: string) => ({ json: '{}', key })

it('counts repeated keys, and writes every row, if the last one wins', () => {
  const keys = new RepeatedKeys('last')
  // More than fit into the first slots, and similar to each other.
  const texts = Array.from(
    { length: 20_000 },
    (_, number) => `"P${String(number).padStart(9, '0')}"`,
  )
  for (const text of texts) expect(keys.take(row(text))).toEqual(row(text))
  expect(keys.repeated).toBe(0)
  for (const text of texts) expect(keys.take(row(text))).toEqual(row(text))
  expect([keys.repeated, keys.isIncomplete]).toEqual([20_000, false])
})

it('tells short keys and long keys apart', () => {
  const keys = new RepeatedKeys('last')
  for (const key of [
    '',
    '""',
    '"a"',
    '"b"',
    '1',
    '10',
    '"\ud83d\ude00"',
    'x'.repeat(1000),
    'x'.repeat(1001),
  ]) {
    keys.take(row(key))
  }
  expect(keys.repeated).toBe(0)
})

it('recognises only the first keys if there are many', () => {
  const keys = new RepeatedKeys('last', 2)
  for (const key of ['a', 'b', 'a']) keys.take(row(key))
  expect([keys.repeated, keys.isIncomplete]).toEqual([1, false])
  for (const key of ['c', 'c', 'b']) keys.take(row(key))
  expect([keys.repeated, keys.isIncomplete]).toEqual([2, true])
})

it('skips or rejects a row with a known key', () => {
  const first = new RepeatedKeys('first', 1)
  const fail = new RepeatedKeys('fail', 1)
  for (const keys of [first, fail]) for (const key of ['a', 'b']) keys.take(row(key))
  expect(first.take(row('b'))).toBeUndefined()
  expect(fail.take(row('b'))).toMatchObject({
    reason: 'the primary key is that of an earlier row',
    excerpt: 'b',
  })
  expect([first.repeated, fail.repeated, fail.isIncomplete]).toEqual([1, 1, false])
})
