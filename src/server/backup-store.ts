import type { BackupOptions } from '../store/sqlite/maintenance/backup.ts'
import { backupDatabase } from '../store/sqlite/maintenance/backup.ts'
import { cannotOpen, existingPath } from './open-store.ts'

/** Copies the SQLite store that `OQS_STORE` names into a file; returns the size of the copy. */
export async function backupStore(
  name: string,
  target: string,
  options: BackupOptions = {},
): Promise<number> {
  const path = existingPath(name)
  if (path === undefined)
    throw cannotOpen(
      name,
      '`oqs backup` copies SQLite stores only. Back up PostgreSQL with pg_dump; see docs/how-to/backups.md.',
    )
  return backupDatabase(path, target, options)
}
