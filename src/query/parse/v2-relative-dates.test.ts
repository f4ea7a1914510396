import { describe, expect, it } from 'vitest'
import { failure, fieldOf, parserOf, unprocessable } from '../../../test/support/parsed-queries.ts'
import { V2_QUERIES } from './v2-query-language.ts'

const parse = parserOf(V2_QUERIES)
const point = (value: unknown, timeUnit: unknown = 'DAY') => ({
  type: 'relativePoint',
  value,
  timeUnit,
})
const range = {
  type: 'relativeDateRange',
  field: 'opened',
  relativeStartTime: point(-7),
  timeZoneId: 'Europe/Zurich',
}

describe('a range of relative dates', () => {
  it.each([
    [
      range,
      { field: fieldOf('opened'), type: 'date', start: { value: -7, unit: 'DAY' }, end: undefined },
    ],
    [
      { ...range, field: 'seen', relativeStartTime: null, relativeEndTime: point(1, 'YEAR') },
      {
        field: fieldOf('seen'),
        type: 'timestamp',
        start: undefined,
        end: { value: 1, unit: 'YEAR' },
      },
    ],
  ])('%j is parsed', (where, parsed) => {
    expect(parse(where)).toEqual({ kind: 'relativeDates', ...parsed, timeZone: 'Europe/Zurich' })
  })

  it.each([
    ['DAY', 365_000],
    ['WEEK', 52_000],
    ['MONTH', 12_000],
    ['YEAR', 1000],
  ])('in units of %s reaches %d of them', (unit, most) => {
    for (const value of [-most, most]) {
      const where = { ...range, relativeStartTime: point(value, unit) }
      expect(parse(where)).toMatchObject({ start: { value, unit } })
    }
    for (const value of [-most - 1, most + 1, 0.5, '1']) {
      expect(() => parse({ ...range, relativeEndTime: point(value, unit) })).toThrow(
        unprocessable(
          'where.relativeEndTime.value',
          `is not a whole number from -${most} to ${most}`,
        ),
      )
    }
  })

  it('has one form for zero', () => {
    const { start } = parse({ ...range, relativeStartTime: point(-0) }) as { start?: unknown }
    expect(start).toStrictEqual({ value: 0, unit: 'DAY' })
  })

  const notAPoint = 'is not a relative point: {"type": "relativePoint", …}'
  const notSupported = (property: string) =>
    failure('PropertyTypesSearchNotSupported', { parameters: { relativeDateRange: [property] } })

  it.each([
    [{ field: 'name' }, notSupported('name')],
    [{ field: 'holidays' }, notSupported('holidays')],
    [
      { relativeStartTime: null },
      unprocessable('where', 'has neither relativeStartTime nor relativeEndTime'),
    ],
    [{ timeZoneId: undefined }, unprocessable('where.timeZoneId', 'is missing')],
    [{ timeZoneId: 'Mars' }, failure('InvalidTimeZone', { timeZone: 'Mars' })],
    [{ relativeStartTime: 7 }, unprocessable('where.relativeStartTime', notAPoint)],
    [{ relativeEndTime: { value: 1 } }, unprocessable('where.relativeEndTime', notAPoint)],
    [
      { relativeStartTime: { ...point(1), x: 1 } },
      unprocessable(
        'where.relativeStartTime.x',
        'a relative point has no such member; allowed members: type, value, timeUnit',
      ),
    ],
    [
      { relativeStartTime: point(1, 'HOUR') },
      unprocessable('where.relativeStartTime.timeUnit', 'is not DAY, WEEK, MONTH or YEAR'),
    ],
  ])('with %j is refused', (members, refusal) => {
    expect(() => parse({ ...range, ...members })).toThrow(refusal)
  })

  it('counts as eleven conditions', () => {
    const ranges = (count: number) =>
      parse({ type: 'or', value: Array.from({ length: count }, () => range) })
    expect(ranges(9)).toMatchObject({ of: { length: 9 } })
    expect(() => ranges(10)).toThrow(failure('QueryTermsExceededLimit', { termsLimit: 100 }))
  })
})
