/** Which tables a sync that has copied its tables goes on with. */
import { matchTables, withoutObstacles } from './choose-tables.ts'
import { findGap, publishTable } from './publication.ts'
import { type SourceTable, tableName } from './source-tables.ts'
import type { ContinuedSource, PrepareRequest } from './sync-request.ts'

/** Adds new tables to the publication. Returns all of its tables; throws if it lacks changes. */
export async function publishTables(
  { client, slot, publication, all }: Omit<ContinuedSource, 'current' | 'owner'>,
  request: PrepareRequest,
): Promise<readonly SourceTable[]> {
  const { onNote, table: only } = request
  const followed = all.filter(({ oid }) => publication.tables.has(oid))
  const added = matchingTables(all, request).filter((table) => !followed.includes(table))
  const wanted = only === undefined ? followed : [...followed, ...added]
  const gap = findGap(
    publication,
    wanted.map(({ oid }) => oid),
  )
  if (gap !== undefined) {
    throw new Error(
      `The publication ${slot} ${gap}, so changes are missing. Run the command with --restart to copy the tables again.`,
    )
  }
  const addable = withoutObstacles(added, (table, obstacle) =>
    onNote(`${tableName(table)} is left out: it ${obstacle}`),
  )
  const published: SourceTable[] = []
  for (const table of addable) {
    const statement = await publishTable(client, slot, table)
    if (statement === undefined) published.push(table)
    else {
      onNote(
        `${tableName(table)} is new and left out, because the role does not own it and the publication. Run this as their owner, then it is copied: ${statement};`,
      )
    }
  }
  return [...followed, ...published]
}

/** Returns the tables that the request names; a single one may have been renamed. */
function matchingTables(
  all: readonly SourceTable[],
  request: Pick<PrepareRequest, 'table' | 'tables'>,
): readonly SourceTable[] {
  try {
    return matchTables(all, request)
  } catch {
    return []
  }
}

/** Returns the tables whose changes may concern a sync. */
export function watchedTables(
  all: readonly SourceTable[],
  published: ReadonlySet<number>,
  request: Pick<PrepareRequest, 'table' | 'tables'>,
): readonly SourceTable[] {
  const matching = new Set(matchingTables(all, request))
  return all.filter((table) => published.has(table.oid) || matching.has(table))
}
