/** Notices changes of the followed tables that PostgreSQL does not replicate. */
import { isDeepStrictEqual } from 'node:util'
import { connectSource } from './connect-source.ts'
import { describeCopied } from './publication.ts'
import { readTables } from './source-tables.ts'
import type { TableMapping } from './table-mapping.ts'

const INTERVAL_MS = 15_000

interface TableWatch {
  /** Aborts when a table was dropped or renamed, or has other partitions. */
  readonly signal: AbortSignal
  stop(): void
}

export function watchTables(url: string, mappings: readonly TableMapping[]): TableWatch {
  const tables = mappings.map(({ table }) => table)
  const before = describeCopied(tables)
  const changed = new AbortController()
  async function check(): Promise<void> {
    await using client = await connectSource(url)
    const now = await readTables(
      client,
      tables.map(({ oid }) => oid),
    )
    if (!isDeepStrictEqual(describeCopied(now), before)) changed.abort()
  }
  // If it fails, so does the stream, or the next check succeeds.
  const timer = setInterval(() => check().catch(() => {}), INTERVAL_MS)
  return { signal: changed.signal, stop: () => clearInterval(timer) }
}
