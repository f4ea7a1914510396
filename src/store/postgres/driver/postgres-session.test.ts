import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleTable, testSession } from '../../../../test/session-contract.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { awaited, integer, runAwaited } from '../../core/session/session.ts'
import { Database } from './database.ts'
import { readIn, runIn } from './postgres-session.ts'

describe('a session of PostgreSQL', () => {
  let place: TestStore
  let database: Database
  beforeAll(async () => {
    place = await createTestStore()
    database = new Database(place.name)
    await database.write((session) => session.query(sampleTable('bytea')))
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  testSession((operation) => database.write((session) => runIn(session, operation)))

  it('reads without a transaction', async () => {
    const sql = 'SELECT id FROM sample WHERE id = ?'
    const found = await readIn(database, (session) =>
      session.find(sql, [1], { id: integer }, { isPrepared: true }),
    )
    expect(found).toEqual({ id: 1 })
  })

  it('lets an operation handle what it awaits', async () => {
    function* handling() {
      try {
        return yield* awaited(Promise.reject(new RangeError('lost')))
      } catch (error) {
        return error
      }
    }
    expect(await runAwaited(handling())).toBeInstanceOf(RangeError)
  })

  it('leaves out rows that are locked, and sees locks of the store', async () => {
    const ids = { id: integer } as const
    const inside = await database.write((holder) =>
      runIn(holder, function* (session) {
        const { lock } = session.dialect
        yield* session.query(`SELECT id FROM sample WHERE id = 1${lock.commit}`, [], ids)
        const isFirst = yield* session.tryLock('reclaim')
        const other = database.write((second) =>
          runIn(second, function* (inner) {
            const sql = `SELECT id FROM sample WHERE id IN (1, 10) ORDER BY id`
            const left = yield* inner.query(`${sql}${lock.skipLocked}`, [], ids)
            return [left.map(({ id }) => id), yield* inner.tryLock('reclaim')]
          }),
        )
        return [isFirst, ...(yield* awaited(other))]
      }),
    )
    expect(inside).toEqual([true, [10], false])
  })
})
