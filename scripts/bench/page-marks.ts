/** The marks of `npm run bench` that are ratios of two cases. */
import { caseName } from '../measure/cases.ts'
import { atLeast, atMost, type Mark } from '../measure/report.ts'
import { type Ratio, ratioOf, type Samples } from '../measure/rounds.ts'
import type { StoreName } from '../measure/workbench.ts'

export const BARE_STORE = 'bare store'
export const TWO_WORKERS = 'list with two workers'
export const HOT = 'list from the page cache'
export const AFTER_UPDATES = 'list after updates'
export const PAST_SNAPSHOT = 'snapshot before updates'
export const WITHOUT_POLICY = 'list with a token'
export const WITH_RULE = 'list with a rule on an indexed property'

const NEAR_1000 = caseName('list', 'near', 1000)
const SPREAD_1000 = caseName('list', 'spread', 1000)
const BARE_1000 = caseName(BARE_STORE, 'spread', 1000)
const UNION = 'union of two filters'
const EQUALITY = caseName('equality, 1 in 7', 'next', 100)

/** A mark: two cases, what is compared, and limits by store. A store without one is not judged. */
type RatioMark = readonly [
  of: string,
  to: string,
  measure: keyof Ratio,
  limits: Readonly<Partial<Record<StoreName, number>>>,
]

const both = (limit: number) => ({ SQLite: limit, PostgreSQL: limit })

/** Limits are about half as wide again as the spread of repeated runs on two shared cores. */
const RATIO_MARKS: readonly RatioMark[] = [
  [SPREAD_1000, BARE_1000, 'CPU', { SQLite: 1.5, PostgreSQL: 3.5 }],
  [caseName('list', 'spread', 100), caseName(BARE_STORE, 'spread', 100), 'CPU', { SQLite: 2.5 }],
  [caseName('list', 'deep', 1000), NEAR_1000, 'p50', both(1.5)],
  [EQUALITY, caseName('list', 'near', 100), 'p50', both(6)],
  [caseName(UNION, 'next', 1000), NEAR_1000, 'p50', both(5)],
  [caseName(UNION, 'deep', 1000), NEAR_1000, 'p50', both(5)],
  [caseName(PAST_SNAPSHOT, 'deep', 1000), caseName(AFTER_UPDATES, 'deep', 1000), 'p50', both(1.6)],
  // What the rights of a caller add to the query that the rule amounts to.
  [caseName(WITH_RULE, 'next', 100), EQUALITY, 'CPU', both(1.5)],
  // On PostgreSQL the database shares the cores with the workers.
  [caseName(TWO_WORKERS, 'spread', 1000), SPREAD_1000, 'req/s', { SQLite: 1.2 }],
]

export function ratioMarks(samples: Samples, store: StoreName): readonly Mark[] {
  const find = (name: string) => [...samples].find(([each]) => each.name === name)?.[1]
  return RATIO_MARKS.flatMap(([of, to, measure, { [store]: limit }]) => {
    if (limit === undefined) return []
    const judge = measure === 'req/s' ? atLeast : atMost
    return [judge(limit, `${of} / ${to}, ${measure}`, ratioOf(find(of), find(to))[measure])]
  })
}
