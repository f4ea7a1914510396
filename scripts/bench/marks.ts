/** The marks of `npm run bench` that are ratios of two cases. */
import { caseName, UNION_OF_FILTERS } from '../measure/cases.ts'
import type { StoreName } from '../measure/command-line.ts'
import type { Mark } from '../measure/marks.ts'
import { type Ratio, ratioOf, type Samples } from '../measure/rounds.ts'

export const BARE_STORE = 'bare store'
export const TWO_WORKERS = 'list with two workers'
export const HOT = 'list from the page cache'
export const AFTER_UPDATES = 'list after updates'
export const PAST_SNAPSHOT = 'snapshot before updates'

const LIST_SPREAD = caseName('list', 'spread', 1000)

interface RatioMark {
  readonly of: string
  readonly to: string
  readonly measure: Exclude<keyof Ratio, 'quartiles'>
  /** A store without a limit is not judged. */
  readonly limits: Readonly<Partial<Record<StoreName, number>>>
}

/** Limits are about half as wide again as the spread of repeated runs on two shared cores. */
const RATIO_MARKS: readonly RatioMark[] = [
  {
    of: LIST_SPREAD,
    to: caseName(BARE_STORE, 'spread', 1000),
    measure: 'CPU',
    limits: { SQLite: 1.5, PostgreSQL: 3.5 },
  },
  {
    of: caseName('list', 'spread', 100),
    to: caseName(BARE_STORE, 'spread', 100),
    measure: 'CPU',
    limits: { SQLite: 2.5 },
  },
  {
    of: caseName('list', 'deep', 1000),
    to: caseName('list', 'near', 1000),
    measure: 'p50',
    limits: { SQLite: 1.5, PostgreSQL: 1.5 },
  },
  {
    of: caseName('equality, 1 in 7', 'next', 100),
    to: caseName('list', 'near', 100),
    measure: 'p50',
    limits: { SQLite: 6, PostgreSQL: 6 },
  },
  ...(['next', 'deep'] as const).map((range) => ({
    of: caseName(UNION_OF_FILTERS, range, 1000),
    to: caseName('list', 'near', 1000),
    measure: 'p50' as const,
    limits: { SQLite: 5, PostgreSQL: 5 },
  })),
  {
    of: caseName(PAST_SNAPSHOT, 'deep', 1000),
    to: caseName(AFTER_UPDATES, 'deep', 1000),
    measure: 'p50',
    limits: { SQLite: 1.6, PostgreSQL: 1.6 },
  },
  // On PostgreSQL the database shares the cores with the workers.
  {
    of: caseName(TWO_WORKERS, 'spread', 1000),
    to: LIST_SPREAD,
    measure: 'req/s',
    limits: { SQLite: 1.2 },
  },
]

export function ratioMarks(store: StoreName, samples: Samples): readonly Mark[] {
  const find = (name: string) => [...samples].find(([each]) => each.name === name)?.[1]
  return RATIO_MARKS.flatMap(({ of, to, measure, limits }): readonly Mark[] => {
    const limit = limits[store]
    if (limit === undefined) return []
    const value = ratioOf(find(of), find(to))[measure]
    const bound = measure === 'req/s' ? '≥' : '≤'
    return [{ name: `${store}: ${of} / ${to}, ${measure}`, value, bound, limit }]
  })
}
