/** Notices what PostgreSQL does not replicate, and other syncs that write to the same types. */
import { isDeepStrictEqual } from 'node:util'
import { connectSource } from './connect-source.ts'
import type { PreparedSync } from './prepare-sync.ts'
import { describeCopied, findGap, readPublication } from './publication.ts'
import { readTables } from './source-tables.ts'
import type { TypeOwners } from './type-owners.ts'

const INTERVAL_MS = 15_000

interface TableWatch {
  /**
   * Aborts when a table was dropped or renamed or has other partitions, when the publication was
   * dropped or changed, or when a sync has copied to the ontology.
   */
  readonly signal: AbortSignal
  stop(): void
}

export function watchTables(
  url: string,
  { slot, mappings, claims }: PreparedSync,
  owners: TypeOwners,
): TableWatch {
  const tables = mappings.map(({ table }) => table)
  const before = describeCopied(tables)
  const changed = new AbortController()
  async function check(): Promise<void> {
    await using client = await connectSource(url)
    const oids = tables.map(({ oid }) => oid)
    const now = await readTables(client, oids)
    if (
      !isDeepStrictEqual(describeCopied(now), before) ||
      findGap(await readPublication(client, slot), oids) !== undefined ||
      (await owners.countClaims()) !== claims
    ) {
      changed.abort()
    }
  }
  // If it fails, so does the stream, or the next check succeeds.
  const timer = setInterval(() => check().catch(() => {}), INTERVAL_MS)
  return { signal: changed.signal, stop: () => clearInterval(timer) }
}
