import type { ColumnFeed } from './columns/feed/column-feed.ts'
import { sqlitePath } from './store-name.ts'

/** Opens the feed of a store, which must exist, by the name of the store. */
export async function openColumnFeed(name: string): Promise<ColumnFeed> {
  // Only the database that is used is loaded.
  const path = sqlitePath(name)
  if (path !== undefined) {
    const { openSqliteFeed } = await import('./sqlite/columns/sqlite-feed.ts')
    return openSqliteFeed(path)
  }
  const { openPostgresFeed } = await import('./postgres/columns/postgres-feed.ts')
  return openPostgresFeed(name)
}
