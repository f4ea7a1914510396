/** Events with timestamps, and how orders sort them. */
import fc from 'fast-check'
import type { OrderTerm } from '../../src/query/query.ts'

export const EVENT_PROPERTIES = {
  k: { type: 'string' },
  at: { type: 'timestamp' },
  seen: { type: 'timestamp' },
  kind: { type: 'integer' },
} as const

/** In ascending order. */
export const TIMES = [
  '0000-01-01T00:00:00Z',
  '1582-10-10T12:30:00.000001Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.000001Z',
  '2024-02-29T23:59:59.999Z',
  '2024-02-29T23:59:59.999001Z',
  '2024-03-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
] as const

const OBJECTS = 120

export interface Event {
  readonly k: string
  readonly at?: string
  readonly seen?: string
  readonly kind: number
}

const timesOrNone = fc.option(fc.constantFrom(...TIMES), { nil: undefined, freq: 8 })
export const events: readonly Event[] = fc
  .sample(fc.record({ at: timesOrNone, seen: timesOrNone, kind: fc.integer({ min: 0, max: 2 }) }), {
    seed: 1,
    numRuns: OBJECTS,
  })
  .map(({ at, seen, kind }, n) => ({
    k: `k${String(n).padStart(3, '0')}`,
    ...(at && { at }),
    ...(seen && { seen }),
    kind,
  }))

export type Time = (typeof TIMES)[number]
export const rankOf = (time: string | undefined) => TIMES.indexOf(time as Time)

/** Orders with up to three terms. */
export const orders = fc.uniqueArray(
  fc.record({
    property: fc.constantFrom('at', 'seen', 'kind'),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    nulls: fc.constantFrom('first' as const, 'last' as const),
  }),
  { maxLength: 3, selector: ({ property }) => property },
)

/** Compares events by an order, and then by a tie-breaker and their keys. */
export function compareBy(
  order: readonly OrderTerm[],
  breakTie: (a: Event, b: Event) => number = () => 0,
): (a: Event, b: Event) => number {
  const rank = (event: Event, property: string) =>
    property === 'kind' ? event.kind : rankOf(property === 'at' ? event.at : event.seen)
  return (a, b) => {
    for (const { property, direction, nulls } of order) {
      const [x, y] = [rank(a, property), rank(b, property)]
      if (x === y) continue
      if (x === -1 || y === -1) return (x === -1) === (nulls === 'first') ? -1 : 1
      return direction === 'asc' ? x - y : y - x
    }
    const tie = breakTie(a, b)
    if (tie !== 0) return tie
    const byKey = a.k < b.k ? -1 : 1
    return order.at(-1)?.direction === 'desc' ? -byKey : byKey
  }
}
