import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

/** What happens to the next COMMIT: it is lost, or its reply is. */
type Fault = 'none' | 'loseCommit' | 'loseReply'

interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  fault: Fault
}

/** A proxy between the store and the database. */
async function faultyProxy(databaseUrl: string): Promise<FaultyProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
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
    let swallows = false
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('COMMIT\0')
      const fault = isCommit ? proxy.fault : 'none'
      if (isCommit) proxy.fault = 'none'
      if (fault === 'loseCommit') client.destroy()
      else database.write(bytes)
      swallows ||= fault === 'loseReply'
    })
    database.on('data', (bytes) => (swallows ? client.destroy() : client.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  const proxy: FaultyProxy = {
    url: url.href,
    fault: 'none',
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

describe('a commit whose reply is lost', () => {
  it.each([
    ['loseCommit', []],
    ['loseReply', ['a=1']],
  ] as const)('is not retried, and fails with an unknown outcome: %s', async (fault, kept) => {
    place = await createTestStore()
    await using proxy = await faultyProxy(place.name)
    await using store = await openPostgresStore(proxy.url)
    const things = await createFixture(store)
    await things.readPairs()
    proxy.fault = fault
    await expect(things.commit([['a', '1']])).rejects.toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringContaining('whether this was written is not known') },
    })
    expect(await things.readPairs()).toEqual(kept)
    expect(await things.commit([['a', '2']])).toMatchObject({ put: 1 })
    expect(await things.readPairs()).toEqual(['a=2'])
  })
})
