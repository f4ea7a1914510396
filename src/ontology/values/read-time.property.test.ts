import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { daysOf, millisecondsOf, restOfMicroseconds } from './read-time.ts'
import { scalarReader } from './read-value.ts'

const readDate = scalarReader('date')
const readTimestamp = scalarReader('timestamp')

const instant = fc.date({
  noInvalidDate: true,
  min: new Date('0000-01-02T00:00:00.000Z'),
  max: new Date('9999-12-30T23:59:59.999Z'),
})
const offsetMinutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })

/** The instant as a clock with this offset shows it. */
function writtenAt(date: Date, minutes: number): string {
  const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1)
  const size = Math.abs(minutes)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

it('counts the days, milliseconds and microseconds of every time', () => {
  fc.assert(
    fc.property(instant, fc.nat(999), (date, micros) => {
      const text = date.toISOString()
      const sortable = `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z`
      expect(millisecondsOf(sortable)).toBe(date.getTime())
      expect(restOfMicroseconds(sortable)).toBe(micros)
      expect(daysOf(text.slice(0, 10))).toBe(Date.parse(text.slice(0, 10)) / 86_400_000)
    }),
    fcOptions(1000),
  )
})

describe('parsing times', () => {
  it('keeps the instant of every timestamp', () => {
    fc.assert(
      fc.property(instant, (date) => {
        const stored: string = JSON.parse(readTimestamp(date.toISOString()))
        expect(Date.parse(stored)).toBe(date.getTime())
        expect(readTimestamp(stored)).toBe(`"${stored}"`)
      }),
      fcOptions(1000),
    )
  })

  it('has one text per instant, whatever the offset', () => {
    fc.assert(
      fc.property(instant, offsetMinutes, (date, minutes) => {
        expect(readTimestamp(writtenAt(date, minutes))).toBe(readTimestamp(date.toISOString()))
      }),
      fcOptions(1000),
    )
  })

  it('takes exactly the days of the calendar', () => {
    const two = (number: number) => String(number).padStart(2, '0')
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, day) => {
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
          const date = new Date(`${text}T00:00:00Z`)
          const inCalendar = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
          if (inCalendar) expect(readDate(text)).toBe(`"${text}"`)
          else expect(() => readDate(text)).toThrow(/^has a (month|day) /)
        },
      ),
      fcOptions(2000),
    )
  })
})
