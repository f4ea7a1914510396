import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { CAPABILITIES } from '../citus/capabilities.ts'
import { openPostgresStore } from '../postgres-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

/**
 * What happens to the next COMMIT: it is lost, or its reply is. Instead of the reply, a coordinator of
 * Citus that dies while it waits for a worker sends an error. It may also
 * end after its reply, and refuse connections until the test lets it answer again.
 */
type Fault = 'none' | 'loseCommit' | 'loseReply' | 'coordinatorDies' | 'endAfterReply'

/** An ErrorResponse: its length, then fields that end with a zero byte. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SERROR\0C${code}\0M${message}\0\0`)
  const header = Buffer.alloc(5, 'E')
  header.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([header, fields])
}

const DIED = errorResponse('XX000', 'postmaster was shut down, exiting')

interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  fault: Fault
  /** Whether connections are refused. */
  isDown: boolean
}

/** A proxy between the store and the database. */
async function faultyProxy(databaseUrl: string): Promise<FaultyProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (proxy.isDown) {
      client.destroy()
      return
    }
    const database = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          database.destroy()
        })
    }
    let replacedBy: Buffer | undefined
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('COMMIT\0')
      const fault = isCommit ? proxy.fault : 'none'
      if (isCommit) proxy.fault = 'none'
      if (fault === 'loseCommit') client.destroy()
      else database.write(bytes)
      if (fault === 'loseReply') replacedBy = Buffer.alloc(0)
      if (fault === 'coordinatorDies') replacedBy = DIED
      proxy.isDown ||= fault === 'endAfterReply'
    })
    database.on('data', (bytes) => {
      if (replacedBy === undefined && !proxy.isDown) client.write(bytes)
      else client.end(replacedBy ?? bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  const proxy: FaultyProxy = {
    url: url.href,
    fault: 'none',
    isDown: false,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

const UNKNOWN = {
  errorName: 'ServiceUnavailable',
  parameters: { reason: expect.stringContaining('whether this was written is not known') },
}

describe('a commit whose reply is lost', () => {
  it.each([
    ['loseCommit', []],
    ['loseReply', ['a=1']],
    ['coordinatorDies', ['a=1']],
  ] as const)('is not retried, and fails with an unknown outcome: %s', async (fault, kept) => {
    place = await createTestStore()
    await using proxy = await faultyProxy(place.name)
    await using store = await openPostgresStore(proxy.url)
    const things = await createFixture(store)
    await things.readPairs()
    proxy.fault = fault
    await expect(things.commit([['a', '1']])).rejects.toMatchObject(UNKNOWN)
    expect(await things.readPairs()).toEqual(kept)
    expect(await things.commit([['a', '2']])).toMatchObject({ put: 1 })
    expect(await things.readPairs()).toEqual(['a=2'])
  })

  it('fails with an unknown outcome too if the version could not be published after it', async () => {
    place = await createTestStore()
    await using proxy = await faultyProxy(place.name)
    const capabilities = { ...CAPABILITIES.citus, isDistributed: false }
    await using store = await openPostgresStore(proxy.url, { capabilities })
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    proxy.fault = 'endAfterReply'
    await expect(things.commit([['a', '2']])).rejects.toMatchObject(UNKNOWN)
    proxy.isDown = false
    expect(await things.commit([['b', '3']])).toMatchObject({ version: 3 })
    expect(await things.readPairs()).toEqual(['a=2', 'b=3'])
  })
})
