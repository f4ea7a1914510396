/** Parses `relativeDateRange` of v2. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { Query, RelativePoint } from '../query.ts'
import { isTimeZone } from '../relative-dates.ts'
import { notSupported, requireText } from './conditions.ts'
import type { QueryMembers, QueryParsing } from './parse-query.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

/** The units of a relative point, with the largest distance: about a thousand years. */
const MAX_DISTANCES: ReadonlyMap<unknown, readonly [RelativePoint['unit'], number]> = new Map([
  ['DAY', ['DAY', 365_000]],
  ['WEEK', ['WEEK', 52_000]],
  ['MONTH', ['MONTH', 12_000]],
  ['YEAR', ['YEAR', 1000]],
])

/** How many conditions a time zone counts as: opening its calendar takes a while. */
const TIME_ZONE_COST = 10

export function parseRelativeDateRange(
  written: string,
  { relativeStartTime, relativeEndTime, timeZoneId }: QueryMembers,
  { conditions, budget, path }: QueryParsing,
): Query {
  budget.spendTerms(TIME_ZONE_COST)
  const { field, type, isMultiValued } = conditions.resolve(written, path)
  if ((type !== 'date' && type !== 'timestamp') || isMultiValued) {
    throw notSupported('relativeDateRange', written)
  }
  if (relativeStartTime == null && relativeEndTime == null) {
    throw unprocessable(path, 'has neither relativeStartTime nor relativeEndTime')
  }
  const timeZone = requireText(timeZoneId, `${path}.timeZoneId`)
  if (!isTimeZone(timeZone)) throw new ObjectQueryError('InvalidTimeZone', { timeZone })
  return {
    kind: 'relativeDates',
    field,
    type,
    start: readPoint(relativeStartTime, `${path}.relativeStartTime`),
    end: readPoint(relativeEndTime, `${path}.relativeEndTime`),
    timeZone,
  }
}

function readPoint(point: unknown, path: string): RelativePoint | undefined {
  if (point == null) return undefined
  if (!isJsonObject(point) || point['type'] !== 'relativePoint') {
    throw unprocessable(path, 'is not a relative point: {"type": "relativePoint", …}')
  }
  refuseUnknownMembers(point, ['type', 'value', 'timeUnit'], path, 'a relative point')
  const { value, timeUnit } = point
  const [unit, most] =
    MAX_DISTANCES.get(timeUnit) ?? fail(`${path}.timeUnit`, 'is not DAY, WEEK, MONTH or YEAR')
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || Math.abs(value) > most) {
    throw unprocessable(`${path}.value`, `is not a whole number from -${most} to ${most}`)
  }
  // JSON has no negative zero, and equal queries have equal forms.
  return { value: value + 0, unit }
}

function fail(path: string, reason: string): never {
  throw unprocessable(path, reason)
}
