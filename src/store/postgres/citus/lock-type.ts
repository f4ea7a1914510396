/** Locks of writers on PostgreSQL, see core/commits/locked-type.ts. */
import {
  type LockedType,
  lockType as lockTypeIn,
  readTable as readTableIn,
  type TypeLock,
  type WriteTable,
} from '../../core/commits/locked-type.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'
import type { Capabilities } from './capabilities.ts'
import { refuseUnfinished } from './pending-commit.ts'

export async function lockType(
  session: WriteSession,
  { needsSeparatePublication }: Capabilities,
  typeRid: string,
  lock: TypeLock,
): Promise<LockedType | undefined> {
  const type = await runIn(session, (core) => lockTypeIn(core, typeRid, lock))
  const mayBeUnfinished = needsSeparatePublication && lock !== 'load'
  if (type !== undefined && mayBeUnfinished) await refuseUnfinished(session, type.id)
  return type
}

export function readTable(session: Session, id: number): Promise<WriteTable> {
  return readIn(session, (core) => readTableIn(core, id))
}
