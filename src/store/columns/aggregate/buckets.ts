/** The buckets of numbers and times, as the databases compute them. */

import { millisecondsOf } from '../../../ontology/values/read-time.ts'
import type { TimeStep, TimeType } from '../../../query/aggregation/aggregation.ts'
import { WEEK_OFFSET_SECONDS, WEEK_SECONDS } from '../../../query/aggregation/time-step.ts'
import type { Steps } from './group-codes.ts'

/** Returns how many whole widths a number contains, rounded down; a bigint if a double is inexact. */
export function bucketOf(number: number, width: number): number | undefined {
  if (!Number.isFinite(number)) return undefined
  const whole = Math.floor(number)
  // Beyond, neighbouring doubles are further apart than the digits of the quotient.
  if (!Number.isSafeInteger(whole)) {
    return Math.abs(number) <= LARGEST_WHOLE
      ? Number(floorDivide(BigInt(whole), BigInt(width)))
      : Math.floor(number / width)
  }
  const quotient = Math.floor(whole / width)
  const rest = whole - quotient * width
  if (rest < 0) return quotient - 1
  return rest >= width ? quotient + 1 : quotient
}

/** Larger numbers do not fit into 64 bits. */
const LARGEST_WHOLE = 9e18

export function floorDivide(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n)
}

const DAY_MS = 86_400_000

/** Returns a function that numbers the step of a time: days or microseconds since 1970. */
export function stepNumberOf(type: TimeType, step: TimeStep): (time: number) => number {
  const ofMilliseconds = stepOfMilliseconds(step)
  return type === 'date'
    ? (days) => ofMilliseconds(days * DAY_MS)
    : (micros) => ofMilliseconds(Math.floor(micros / 1000))
}

/** Does the same for timestamps as texts, whose microseconds doubles may not hold exactly. */
export function stepNumberOfText(step: TimeStep): (timestamp: string) => number {
  const ofMilliseconds = stepOfMilliseconds(step)
  return (timestamp) => ofMilliseconds(millisecondsOf(timestamp))
}

function stepOfMilliseconds(step: TimeStep): (milliseconds: number) => number {
  switch (step.unit) {
    case 'seconds':
      return (milliseconds) => Math.floor(milliseconds / (step.count * 1000))
    case 'milliseconds':
      return (milliseconds) => Math.floor(milliseconds / step.count)
    case 'week':
      return (milliseconds) =>
        Math.floor((milliseconds + WEEK_OFFSET_SECONDS * 1000) / (WEEK_SECONDS * 1000))
    case 'months': {
      const monthOf = monthsOfDays()
      return (milliseconds) => Math.floor(monthOf(Math.floor(milliseconds / DAY_MS)) / step.count)
    }
  }
}

/** Returns which times are in the same step. Steps of dates are computed for each day. */
export function stepsOf(type: TimeType, step: TimeStep): Steps {
  if (type === 'date') return { offset: 0, width: 1 }
  switch (step.unit) {
    case 'seconds':
      return { offset: 0, width: step.count * 1e6 }
    case 'milliseconds':
      return { offset: 0, width: step.count * 1000 }
    case 'week':
      return { offset: WEEK_OFFSET_SECONDS * 1e6, width: WEEK_SECONDS * 1e6 }
    case 'months':
      return { offset: 0, width: DAY_MS * 1000 }
  }
}

/** Returns a function that numbers the month of a day: 12 for each year, plus those before it. */
function monthsOfDays(): (day: number) => number {
  // Most days occur many times.
  const known = new Map<number, number>()
  let lastDay = Number.NaN
  let lastMonth = 0
  return (day) => {
    if (day === lastDay) return lastMonth
    let month = known.get(day)
    if (month === undefined) {
      const date = new Date(day * DAY_MS)
      month = date.getUTCFullYear() * 12 + date.getUTCMonth()
      known.set(day, month)
    }
    lastDay = day
    lastMonth = month
    return month
  }
}
