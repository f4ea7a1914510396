import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { sampleTable, testSession } from '../../../../test/session-contract.ts'
import { awaited, integer, runNow } from '../../core/session/session.ts'
import { inTransaction } from './connection.ts'
import { SqliteSession, StatementCache } from './sqlite-session.ts'

/** Counts how many statements are prepared. */
class CountingDatabase extends DatabaseSync {
  prepared = 0

  override prepare(...given: Parameters<DatabaseSync['prepare']>) {
    this.prepared += 1
    return super.prepare(...given)
  }
}

describe('a session of SQLite', () => {
  const db = new CountingDatabase(':memory:')
  db.exec(sampleTable('blob'))
  const session = new SqliteSession(db, new StatementCache(db))

  testSession(async (operation) => inTransaction(db, 'write', () => runNow(operation(session))))

  it('prepares each statement once', () => {
    const read = () =>
      runNow(session.query('SELECT count(*) FROM sample', [], { count: integer }))[0]?.count
    read()
    const before = db.prepared
    for (let times = 0; times < 10; times += 1) read()
    expect(db.prepared).toBe(before)
  })

  it('needs no lock, because one transaction writes at a time', () => {
    expect(runNow(session.tryLock())).toBe(true)
    expect(Object.values(session.dialect.lock)).toEqual(['', '', '', ''])
  })

  it('does not wait for anything', () => {
    expect(() => runNow(awaited(Promise.resolve(1)))).toThrow('has to await')
  })
})
