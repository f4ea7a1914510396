/** Notices what PostgreSQL does not replicate, and other syncs that write to the same types. */
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { readDefinition } from '../import/change-definition.ts'
import { connectSource } from './connect-source.ts'
import type { PreparedSync } from './prepare-sync.ts'
import { findGap, readPublication } from './publication.ts'
import { watchedTables } from './publish-tables.ts'
import { readTables } from './source-tables.ts'
import type { SyncRequest } from './sync-request.ts'
import type { TypeOwners } from './type-owners.ts'

const INTERVAL_MS = 15_000

interface TableWatch {
  /**
   * Aborts when a table was added, changed, renamed or dropped, when the publication was dropped or
   * changed, or when a sync has copied to the ontology.
   */
  readonly signal: AbortSignal
  stop(): void
}

export function watchTables(
  { administration }: Endpoints,
  options: SyncRequest,
  { slot, mappings, claims, tables: before, stopped, definition }: PreparedSync,
  owners: TypeOwners,
): TableWatch {
  const oids = mappings.map(({ table }) => table.oid)
  const changed = new AbortController()
  async function check(): Promise<void> {
    await using client = await connectSource(options.url)
    const publication = await readPublication(client, slot)
    const all = await readTables(client)
    const readCurrent = () => readDefinition(administration, options.ontology)
    if (
      !isDeepStrictEqual(watchedTables(all, publication?.tables ?? new Set(), options), before) ||
      findGap(publication, oids) !== undefined ||
      (await owners.countClaims()) !== claims ||
      // A table may fit its type again.
      (stopped.size > 0 && !isDeepStrictEqual(await readCurrent(), definition))
    ) {
      changed.abort()
    }
  }
  // If it fails, so does the stream, or the next check succeeds.
  const timer = setInterval(() => check().catch(() => {}), INTERVAL_MS)
  return { signal: changed.signal, stop: () => clearInterval(timer) }
}
