import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../../../../test/support/free-port.ts'
import { cancelStatement } from './read-pool.ts'

const clientAt = (port: number) => ({ host: '127.0.0.1', port, processID: 7, secretKey: -9 })

it('sends a cancel request of the PostgreSQL protocol', async () => {
  const received: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      received.push(chunk)
      socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await cancelStatement(clientAt(port))
  const message = Buffer.concat(received)
  const fields = [0, 4, 8, 12].map((at) => message.readInt32BE(at))
  expect(fields).toEqual([16, 80877102, 7, -9])
  server.close()
})

it('ignores a server that cannot be reached', async () => {
  await expect(cancelStatement(clientAt(await freePort()))).resolves.toBeUndefined()
})
