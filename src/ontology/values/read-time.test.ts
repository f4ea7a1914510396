import { describe, expect, it } from 'vitest'
import { only, refusedFor } from '../../../test/support/refused-values.ts'
import { sortableTimestamp } from './read-time.ts'
import { scalarReader } from './read-value.ts'

const readDate = scalarReader('date')
const readTimestamp = scalarReader('timestamp')

describe('a date', () => {
  it.each([
    '2026-01-31',
    '2024-02-29',
    '2000-02-29',
    '0000-01-01',
    '0000-02-29',
    '0001-01-01',
    '9999-12-31',
  ])('is stored as it was sent: %s', (date) => {
    expect(readDate(date)).toBe(`"${date}"`)
  })

  it.each(['2023-02-29', '1900-02-29', '2100-02-29', '2026-04-31', '2026-01-00', '2026-01-32'])(
    'must exist in the calendar: %s does not',
    (date) => {
      expect(() => readDate(date)).toThrow(refusedFor('has a day that its month does not have'))
    },
  )

  it.each(['2026-00-01', '2026-13-01'])('must have a valid month: %s has not', (date) => {
    expect(() => readDate(date)).toThrow(refusedFor('has a month outside 01 to 12'))
  })

  it.each(
    [
      null,
      undefined,
      20260131,
      1e12,
      true,
      '',
      '2026-1-31',
      '26-01-31',
      '+02026-01-31',
      '-0001-01-01',
      '12026-01-31',
      '2026/01/31',
      '20260131',
      '2026-01-31 ',
      ' 2026-01-31',
      '2026-01-31\n',
      '2026-01-31T00:00:00Z',
      '٢٠٢٦-٠١-٣١',
      ['2026-01-31'],
      { date: '2026-01-31' },
    ].map(only),
  )('is never %j', (value) => {
    expect(() => readDate(value)).toThrow(refusedFor('is not a date: YYYY-MM-DD'))
  })
})

describe('a timestamp', () => {
  it('is stored in UTC', () => {
    expect(readTimestamp('2026-01-31T12:34:56Z')).toBe('"2026-01-31T12:34:56Z"')
    expect(readTimestamp('2026-01-31T12:34:56+01:30')).toBe('"2026-01-31T11:04:56Z"')
    expect(readTimestamp('2026-01-31T12:34:56-01:30')).toBe('"2026-01-31T14:04:56Z"')
  })

  it.each([
    ['2025-12-31T23:30:00-01:00', '2026-01-01T00:30:00Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-29T23:59:59-00:01', '2024-03-01T00:00:59Z'],
    ['2023-03-01T00:00:00+00:01', '2023-02-28T23:59:00Z'],
    ['2026-06-15T00:00:00+23:59', '2026-06-14T00:01:00Z'],
    ['2026-06-15T00:00:00-00:00', '2026-06-15T00:00:00Z'],
    ['0001-01-01T00:00:00+00:01', '0000-12-31T23:59:00Z'],
    ['0099-12-31T23:00:00-02:00', '0100-01-01T01:00:00Z'],
  ])('moves across days and years with its offset: %s', (sent, stored) => {
    expect(readTimestamp(sent)).toBe(`"${stored}"`)
  })

  it.each(['0000-01-01T00:00:00Z', '0050-06-15T12:00:00Z', '9999-12-31T23:59:59.999999Z'])(
    'reaches through the years 0000 to 9999: %s',
    (timestamp) => {
      expect(readTimestamp(timestamp)).toBe(`"${timestamp}"`)
    },
  )

  it.each(['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
    'is refused when UTC is outside the years 0000 to 9999: %s',
    (timestamp) => {
      expect(() => readTimestamp(timestamp)).toThrow(
        refusedFor('is outside the years 0000 to 9999'),
      )
    },
  )

  it.each([
    ['.1', '.100'],
    ['.12', '.120'],
    ['.123', '.123'],
    ['.1234', '.123400'],
    ['.123456', '.123456'],
    ['.000001', '.000001'],
    ['.100000000', '.100'],
    ['.123456000', '.123456'],
    ['.0', ''],
    ['.000000000', ''],
  ])('has no, three or six fraction digits: %s becomes %j', (sent, stored) => {
    expect(readTimestamp(`2026-01-31T12:34:56${sent}Z`)).toBe(`"2026-01-31T12:34:56${stored}Z"`)
  })

  it.each(['.0000001', '.123456789'])(
    'is refused if it is more precise than microseconds: %s',
    (fraction) => {
      expect(() => readTimestamp(`2026-01-31T12:34:56${fraction}Z`)).toThrow(
        refusedFor('is more precise than microseconds'),
      )
    },
  )

  it.each(['24:00:00', '23:60:00', '23:59:60', '99:99:99'])(
    'must have a valid time of day: %s has not',
    (time) => {
      expect(() => readTimestamp(`2026-01-31T${time}Z`)).toThrow(
        refusedFor('has a time of day outside 00:00:00 to 23:59:59'),
      )
    },
  )

  it.each(['+24:00', '-24:00', '+00:60', '-99:99'])('has no offset %s', (offset) => {
    expect(() => readTimestamp(`2026-01-31T12:00:00${offset}`)).toThrow(
      refusedFor('has an offset outside -23:59 to +23:59'),
    )
  })

  it('must be in the calendar', () => {
    expect(() => readTimestamp('2023-02-29T00:00:00Z')).toThrow(
      refusedFor('has a day that its month does not have'),
    )
    expect(() => readTimestamp('2023-13-01T00:00:00Z')).toThrow(
      refusedFor('has a month outside 01 to 12'),
    )
  })

  it.each(
    [
      null,
      undefined,
      1769862896000,
      '',
      '2026-01-31',
      '2026-01-31T12:34:56',
      '2026-01-31 12:34:56Z',
      '2026-01-31T12:34:56.Z',
      '2026-01-31T12:34:56.1234567890Z',
      '2026-01-31T12:34:56,5Z',
      '2026-01-31T12:34:56UTC',
      '2026-01-31T12:34:56Z[Europe/Paris]',
      '+002026-01-31T12:34:56Z',
      '-000001-01-01T00:00:00Z',
      '2026-01-31T12:34:56Z\n',
      ['2026-01-31T12:34:56Z'],
      { time: 0 },
    ].map(only),
  )('is never %j', (value) => {
    expect(() => readTimestamp(value)).toThrow(
      refusedFor('is not a timestamp: ISO 8601 with Z or an offset'),
    )
  })
})

describe('the sortable form of a timestamp', () => {
  it.each([
    ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.000000Z'],
    ['2026-01-31T12:34:56.120Z', '2026-01-31T12:34:56.120000Z'],
    ['2026-01-31T12:34:56.123456Z', '2026-01-31T12:34:56.123456Z'],
  ])('always has six fraction digits: %s', (canonical, sortable) => {
    expect(sortableTimestamp(canonical)).toBe(sortable)
  })
})
