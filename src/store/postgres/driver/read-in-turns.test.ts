import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readInTurns } from './session.ts'

const BYTES = 16 * 1024 * 1024

it('reads one chunk of a large result per iteration of the event loop', async () => {
  const server = createServer((socket) => socket.end(Buffer.alloc(BYTES)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const socket: Socket = connect(port, '127.0.0.1')
  let turn = 0
  let isDone = false
  const takeTurn = () => {
    turn += 1
    if (!isDone) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  const turns: number[] = []
  let received = 0
  socket.on('data', ({ length }) => {
    turns.push(turn)
    received += length
  })
  await readInTurns(socket, () => once(socket, 'end'))
  isDone = true
  server.close()
  expect(received).toBe(BYTES)
  expect(turns.length).toBeGreaterThan(10)
  expect(new Set(turns).size).toBe(turns.length)
})
