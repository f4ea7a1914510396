import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { FEW_CHANGES } from '../../object-store.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { makePool } from './connection-pool.ts'
import { Database } from './database.ts'
import { BATCH_TIMEOUT_MS, ClientSession, type SessionClient } from './session.ts'

/** A server that is not a database. */
async function fakeServer(serve: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `postgres://somebody@127.0.0.1:${port}/something`,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const SASL = 10
const SASL_CONTINUE = 11

/** An authentication message of the server. */
function authentication(kind: number, text: string): Buffer {
  const message = Buffer.alloc(9 + text.length)
  message.write('R')
  message.writeInt32BE(8 + text.length, 1)
  message.writeInt32BE(kind, 5)
  message.write(text, 9)
  return message
}

describe('a connection', () => {
  it('is closed at once when the database requires a password and the URL has none', async () => {
    await using server = await fakeServer((socket) => {
      const answers = [
        authentication(SASL, 'SCRAM-SHA-256\0\0'),
        authentication(SASL_CONTINUE, 'r=abc,s=YWJj,i=4096'),
      ]
      socket.on('data', () => socket.write(answers.shift() ?? ''))
    })
    await expect(openPostgresStore(server.url)).rejects.toMatchObject({
      parameters: { reason: 'the database requires a password, and the URL has none' },
    })
    expect(server.sockets).toHaveLength(1)
    // The server itself would keep the connection open.
    for (const socket of server.sockets) if (!socket.closed) await once(socket, 'close')
  })

  it('is not waited for by a health check', async () => {
    const server = await fakeServer(() => {})
    const database = new Database(server.url)
    // Any timeout will do, because the server never replies.
    await expect(database.check('SELECT 1', 1)).rejects.toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: 'the database does not answer' },
    })
    expect(server.sockets.length).toBeLessThan(2)
    await server[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it('limits the duration of statements, not of transactions', async () => {
    await using place = await createTestStore()
    const [{ name, known } = {}] = await runSql(
      place.name,
      `SELECT current_database() AS name, current_setting('transaction_timeout', true) AS known`,
    )
    // PostgreSQL before 17 does not have this setting.
    if (known !== null) {
      await runSql(place.name, `ALTER DATABASE ${name} SET transaction_timeout = '1h'`)
    }
    await using database = new Database(place.name)
    const [row] = await database.query(
      `SELECT current_setting('statement_timeout'), current_setting('transaction_timeout', true)`,
    )
    expect(row).toEqual(['30s', known === null ? null : '0'])
  })
})

it.each([
  { storesNothing: false, expected: 'on' },
  { storesNothing: true, expected: 'off' },
])('waits for the disk unless it stores nothing: $expected', async ({ expected, ...options }) => {
  // The server of the tests does not wait by default.
  await using place = await createTestStore('none')
  const pool = makePool(place.name, { max: 1, statementTimeoutMs: 1000, ...options })
  const { rows } = await pool.query('SHOW synchronous_commit')
  await pool.end()
  expect(rows).toEqual([{ synchronous_commit: expected }])
})

describe('the statements of a batch', () => {
  // Citus workers have their own defaults.
  it.runIf(inject('store') === 'postgres')(
    'may take far longer than other statements, unless it is small',
    async () => {
      await using place = await createTestStore()
      await using store = await openPostgresStore(place.name)
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const column = `seen text DEFAULT current_setting('statement_timeout')`
      await runSql(place.name, `ALTER TABLE oqs_object_1 ADD COLUMN ${column}`)
      await things.commit([['a', '2']])
      await things.commit(Array.from({ length: FEW_CHANGES + 1 }, (_, at) => [`b${at}`, '3']))
      const rows = await runSql(
        place.name,
        'SELECT DISTINCT valid_from, seen FROM oqs_object_1 WHERE valid_from > 1 ORDER BY 1',
      )
      expect(rows.map(({ seen }) => seen)).toEqual(['30s', '10min'])
    },
  )

  it('are waited for until the database itself would cancel them', async () => {
    const timeouts: unknown[] = []
    const client = {
      query: async (sent: { query_timeout: number }) => {
        timeouts.push(sent.query_timeout)
        return { rows: [] }
      },
    }
    const session = new ClientSession(client as unknown as SessionClient)
    await session.query('SELECT 1')
    await session.extendTimeout(BATCH_TIMEOUT_MS)
    await session.query('SELECT 1')
    // A statement without its own timeout has the timeout of its pool.
    expect(timeouts[0]).toBeUndefined()
    expect(timeouts.at(-1)).toBeGreaterThan(BATCH_TIMEOUT_MS)
  })
})
