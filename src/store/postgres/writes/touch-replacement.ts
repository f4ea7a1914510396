import { isIdleReplacement, touchReplacement as touch } from '../../core/tables/replacements.ts'
import type { Database } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'

/**
 * Keeps a replacement from expiring while its next batch arrives. Writes only if maintenance has
 * marked it as idle.
 */
export async function touchReplacement(database: Database, replacement: string): Promise<void> {
  if (!(await readIn(database, (session) => isIdleReplacement(session, replacement)))) return
  await database.write((session) => runIn(session, (core) => touch(core, replacement)))
}
