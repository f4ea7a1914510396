import { PAGE_SIZES, type StoreName } from './options.ts'
import { compareKinds, type Phase, rateAtLeast, walkCases } from './page-case.ts'
import type { MeasuredProcess } from './processes.ts'
import type { MarkedWalk } from './walk.ts'

const TWO_WORKERS_MARK = rateAtLeast(1.3)

/** Two processes that share the port, beside one; both without the page cache. */
export function workersPhase(
  store: StoreName,
  one: MeasuredProcess,
  two: MeasuredProcess,
  walk: MarkedWalk,
): Phase {
  // PostgreSQL runs on the same cores, which are then taken already.
  const mark = store === 'SQLite' ? TWO_WORKERS_MARK : undefined
  const parts = PAGE_SIZES.map((pageSize) => {
    const common = { walk, pageSize, places: ['spread'] } as const
    const alone = walkCases({ ...common, server: one, kind: 'one worker' })
    const shared = walkCases({ ...common, server: two, kind: 'two workers' })
    return { cases: [...alone, ...shared], comparisons: compareKinds(shared, alone, mark) }
  })
  return {
    title: 'Two workers',
    cases: parts.flatMap(({ cases }) => cases),
    comparisons: parts.flatMap(({ comparisons }) => comparisons),
  }
}
