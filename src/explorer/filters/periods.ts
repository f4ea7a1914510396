/** Periods that people ask for by name, and the moments at which a day begins and ends. */

/** The first and the last day of a period. */
export interface NamedPeriod {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** Returns the periods around a day, in UTC. */
export function periodsAt(now: Date): readonly NamedPeriod[] {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const quarter = month - (month % 3)
  const period = (name: string, from: number, to: number): NamedPeriod => {
    const [first = '', last = ''] = [from, to].map((ms) => new Date(ms).toISOString().slice(0, 10))
    return { name, from: first, to: last }
  }
  const days = (name: string, first: number, last: number) =>
    period(name, Date.UTC(year, month, day + first), Date.UTC(year, month, day + last))
  // Day 0 is the last one of the month before.
  const months = (name: string, first: number, count: number) =>
    period(name, Date.UTC(year, first, 1), Date.UTC(year, first + count, 0))
  return [
    days('Today', 0, 0),
    days('Yesterday', -1, -1),
    days('Last 7 days', -6, 0),
    days('Last 30 days', -29, 0),
    months('This month', month, 1),
    months('Last month', month - 1, 1),
    months('This quarter', quarter, 3),
    months('Last quarter', quarter - 3, 3),
    months('This year', 0, 12),
    months('Last year', -12, 12),
  ]
}

/** Where a moment lies in its day if only the day is given. */
export type DayEdge = 'start' | 'end'

const TIMES: Readonly<Record<DayEdge, string>> = {
  start: 'T00:00:00.000Z',
  // The last moment that can be stored.
  end: 'T23:59:59.999999Z',
}

/** Returns the first or the last moment of a day. */
export function momentOf(day: string, edge: DayEdge): string {
  return day + TIMES[edge]
}

/** Returns the day of which a moment is the first or the last one; undefined if it is neither. */
export function dayOf(moment: string, edge: DayEdge): string | undefined {
  const [day = '', time = ''] = moment.split('T')
  const isEdge = edge === 'start' ? /^00:00(:00(\.0*)?)?Z$/ : /^23:59:59\.999999Z$/
  return isEdge.test(time) ? day : undefined
}
