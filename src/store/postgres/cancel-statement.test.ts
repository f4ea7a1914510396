import { once } from 'node:events'
import { createServer } from 'node:net'
import type { PoolClient } from 'pg'
import { expect, it } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { cancelStatement } from './cancel-statement.ts'

function clientAt(port: number) {
  let isDestroyed = false
  const stream = {
    destroy: () => {
      isDestroyed = true
    },
  }
  const client = { host: '127.0.0.1', port, processID: 7, secretKey: -9, connection: { stream } }
  return { client: client as unknown as PoolClient, isDestroyed: () => isDestroyed }
}

it('sends the request that PostgreSQL expects, and then closes the connection', async () => {
  const received: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      received.push(chunk)
      socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { client, isDestroyed } = clientAt(port)
  await cancelStatement(client)
  const message = Buffer.concat(received)
  const words = [0, 4, 8, 12].map((at) => message.readInt32BE(at))
  expect(words).toEqual([16, 80877102, 7, -9])
  expect(isDestroyed()).toBe(true)
  server.close()
})

it('closes the connection although the server cannot be reached', async () => {
  const { client, isDestroyed } = clientAt(await freePort())
  await cancelStatement(client)
  expect(isDestroyed()).toBe(true)
})
