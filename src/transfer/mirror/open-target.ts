import { NdjsonTarget } from './ndjson-target.ts'
import { checkName, PostgresDatabase } from './postgres-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { TableTarget } from './table-target.ts'
import { targetKind } from './target-kind.ts'

export type MirrorTarget = TableTarget

/** Opens the target of a mirror: a file, or a table of a database. */
export function openTarget(name: string, table: string): MirrorTarget {
  switch (targetKind(name)) {
    case 'ndjson':
      return new NdjsonTarget(name)
    case 'sqlite':
      return new TableTarget(new SqliteDatabase(name), table)
    case 'postgres':
      checkName(table, 'table')
      return new TableTarget(new PostgresDatabase(name), table)
    case undefined:
      throw new Error(`${name} is neither FILE.ndjson nor FILE.db nor postgres://…`)
  }
}
