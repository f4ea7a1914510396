import { KINDS, type PlainWalks } from './listing-phase.ts'
import { PAGE_SIZES } from './options.ts'
import { compareDepth, compareKinds, costAtMost, type Phase, walkCases } from './page-case.ts'
import type { MeasuredProcess } from './processes.ts'
import type { MarkedWalk } from './walk.ts'

/** More than for fresh objects: the rows that a version does not show are stepped over. */
const SNAPSHOT_MARK = costAtMost(1.2)

/**
 * Many objects have two versions. Two snapshots that are not the newest version: the one from
 * before the updates, and one from after them, as a walk has it that other clients write beside.
 */
export function updatedPhase(
  server: MeasuredProcess,
  { list, snapshot }: PlainWalks,
  newer: MarkedWalk,
): Phase {
  const parts = PAGE_SIZES.map((pageSize) => {
    // Page 1 of a snapshot is always the newest version: the old ones begin with page 2.
    const common = { server, pageSize, places: ['next', 'deep'] } as const
    const current = walkCases({ ...common, kind: KINDS.list, walk: list, revision: 1 })
    const snapshots = [
      walkCases({ ...common, kind: 'snapshot before updates', walk: snapshot, revision: 0 }),
      walkCases({ ...common, kind: 'snapshot one commit old', walk: newer, revision: 1 }),
    ]
    return {
      cases: [...current, ...snapshots.flat()],
      comparisons: [
        ...[current, ...snapshots].flatMap(compareDepth),
        ...snapshots.flatMap((cases) => compareKinds(cases, current, SNAPSHOT_MARK)),
      ],
    }
  })
  return {
    title: 'After one object in five was updated',
    cases: parts.flatMap(({ cases }) => cases),
    comparisons: parts.flatMap(({ comparisons }) => comparisons),
  }
}
