import { expect, it } from 'vitest'
import { NumberCodes } from './group-codes.ts'

it('numbers whose distance from the window is rounded keep their own codes', () => {
  const codes = new NumberCodes(1000)
  codes.startAt(-1e-40)
  const numbers = [-1e-40, 1e-86, 0, 0.5, -1, 7, 1e232, Number.MAX_VALUE, Number.NaN]
  const written = numbers.map((number) => codes.codeOf(number))
  expect(new Set(written).size).toBe(numbers.length)
  expect(written.map((code) => codes.numberOf(code))).toEqual(numbers)
})

it('numbers of a first segment without a smallest one keep their codes in later segments', () => {
  const codes = new NumberCodes(1000)
  codes.startAt(Number.NEGATIVE_INFINITY)
  const numbers = [Number.NEGATIVE_INFINITY, 0, 3]
  const written = numbers.map((number) => codes.codeOf(number))
  codes.startAt(-1e89)
  expect(written.map((code) => codes.numberOf(code))).toEqual(numbers)
})
