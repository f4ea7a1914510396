import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { Database } from './database.ts'

let place: TestStore
let database: Database
beforeAll(async () => {
  place = await createTestStore()
  database = new Database(place.name)
  await database.write((session) => session.query('CREATE TABLE copied (k text PRIMARY KEY)'))
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const SQL = 'COPY copied FROM STDIN'
const ROWS = 2000

function copy(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  return database.write((session) => session.copyIn(SQL, chunks))
}

/** Yields one row per turn, so that an error of the server arrives while rows are left. */
async function* rows(keyOf: (row: number) => string): AsyncGenerator<Uint8Array> {
  for (let row = 0; row < ROWS; row += 1) {
    yield Buffer.from(`${keyOf(row)}${'x'.repeat(500)}\n`)
    await setImmediate()
  }
}

it('reports an error of the server that arrives before the last row', async () => {
  await expect(copy(rows(() => 'same'))).rejects.toMatchObject({ code: '23505' })
  expect(await copy(rows(String))).toBe(ROWS)
})

it('ends the COPY when its client leaves', async () => {
  const left = new AbortController()
  let sent = 0
  async function* leaving() {
    for await (const row of rows((row) => `left ${row}`)) {
      sent += 1
      yield row
      if (sent === ROWS / 2) left.abort(new RangeError('the client has left'))
    }
  }
  const written = database.write((session) => session.copyIn(SQL, leaving()), {
    signal: left.signal,
  })
  await expect(written).rejects.toThrow('the client has left')
  expect(sent).toBeLessThan(ROWS)
  const [count] = await database.query(`SELECT count(*) FROM copied WHERE k LIKE 'left%'`)
  expect(Number(count?.[0])).toBe(0)
})

it('ends the COPY if there is an error in the rows', async () => {
  async function* failing() {
    yield Buffer.from('one\n')
    throw new RangeError('not a row')
  }
  await expect(copy(failing())).rejects.toThrow('not a row')
  const [count] = await database.query(`SELECT count(*) FROM copied WHERE k = 'one'`)
  expect(Number(count?.[0])).toBe(0)
})
