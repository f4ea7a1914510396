import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fixture } from '../../../../test/support/store-fixture.ts'
import { type StorePlace, storePlace } from '../../../../test/support/store-place.ts'
import { openPostgresStore } from '../open.ts'

/** What happens to a commit whose answer never comes. */

let place: StorePlace | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

/** What becomes of the next COMMIT that passes: it is lost, or its answer is. */
type Fault = 'none' | 'loseCommit' | 'loseAnswer'

interface FaultyWay extends AsyncDisposable {
  readonly url: string
  fault: Fault
}

/** Stands between the store and the database. */
async function faultyWay(databaseUrl: string): Promise<FaultyWay> {
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
      const fault = isCommit ? way.fault : 'none'
      if (isCommit) way.fault = 'none'
      if (fault === 'loseCommit') client.destroy()
      else database.write(bytes)
      swallows ||= fault === 'loseAnswer'
    })
    database.on('data', (bytes) => (swallows ? client.destroy() : client.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as { port: number }).port)
  const way: FaultyWay = {
    url: url.href,
    fault: 'none',
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return way
}

describe('a commit whose answer is lost', () => {
  it.each([
    ['loseCommit', []],
    ['loseAnswer', ['a=1']],
  ] as const)('is not repeated, and is said to be of unknown outcome: %s', async (fault, kept) => {
    place = await storePlace()
    await using way = await faultyWay(place.name)
    await using store = await openPostgresStore(way.url)
    const things = await fixture(store)
    await things.show()
    way.fault = fault
    await expect(things.commit([['a', '1']])).rejects.toMatchObject({
      errorName: 'ServiceUnavailable',
      parameters: { reason: expect.stringContaining('whether this was written is not known') },
    })
    expect(await things.show()).toEqual(kept)
    expect(await things.commit([['a', '2']])).toMatchObject({ put: 1 })
    expect(await things.show()).toEqual(['a=2'])
  })
})
