/** Opens the SQLite store. */
import type { ObjectStore, StoreOptions } from '../object-store.ts'
import { migrate } from './catalogue/migrate.ts'
import { openChecked } from './file/connection.ts'
import { createDatabaseFile, OpenFiles } from './file/database-file.ts'
import { toStoreFailure } from './file/store-failure.ts'
import { StoreGuard } from './file/store-guard.ts'
import { toReadConnection } from './queries/read-connection.ts'
import { SqliteStore } from './sqlite-store.ts'
import { createThreads } from './threads/store-threads.ts'

/**
 * Opens the embedded store: one SQLite file, which is read on this thread and written by a worker
 * thread. Slow queries run in separate processes, so pages never wait for them.
 */
export function openSqliteStore(
  path: string,
  options: StoreOptions = {},
  threadsFor = createThreads,
): ObjectStore {
  const file = createDatabaseFile(path)
  try {
    return openFile(file, options, threadsFor)
  } catch (error) {
    throw toStoreFailure(error)
  }
}

function openFile(
  path: string,
  options: StoreOptions,
  threadsFor: typeof createThreads,
): ObjectStore {
  using parts = new DisposableStack()
  const db = parts.use(openChecked(path))
  migrate(db)
  const files = new OpenFiles(path)
  const guard = parts.use(new StoreGuard(files, ({ cause }) => options.onDamage?.(cause)))
  const threads = threadsFor(path, options)
  const store = new SqliteStore(toReadConnection(db), guard, threads, options)
  parts.move()
  return store
}
