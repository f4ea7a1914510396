import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Connection } from '../../scripts/measure/connection.ts'

/** Starts a server that responds to each request with the next text, sent in pieces. */
async function serveTexts(responses: readonly (readonly string[])[]) {
  const requests: string[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.setNoDelay(true))
    socket.on('data', async (data) => {
      requests.push(data.toString())
      const pieces = responses[requests.length - 1]
      if (pieces === undefined) {
        socket.destroy()
        return
      }
      for (const piece of pieces) {
        await new Promise((resolve) => socket.write(piece, resolve))
        await nextTurn()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}`)
  return {
    requests,
    target: { url, headers: { authorization: 'Bearer x' } },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'

it('reads responses to their end, however they are split', async () => {
  await using server = await serveTexts([
    [`${OK}body`],
    ['HTTP/1.1 200 OK\r\nConte', 'nt-Length: 4\r\n\r', '\nbo', 'dy'],
    [OK, 'body'],
  ])
  using connection = await Connection.open(server.target)
  const bytes: number[] = []
  for (const body of [undefined, '{}', undefined]) {
    const method = body === undefined ? 'GET' : 'POST'
    bytes.push(await connection.drain({ method, path: '/x', ...(body && { body }) }))
  }
  expect(bytes).toEqual([4, 4, 4])
  expect(server.requests[0]).toMatch(
    /^GET \/x HTTP\/1\.1\r\nhost: .*\r\nauthorization: Bearer x\r\n/,
  )
  expect(server.requests[1]).toMatch(/content-length: 2\r\n\r\n\{\}$/)
})

it('rejects responses that cannot be measured', async () => {
  await using server = await serveTexts([
    ['HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/1.1 200 OK\r\n\r\n'],
  ])
  using connection = await Connection.open(server.target)
  const drain = () => connection.drain({ method: 'GET', path: '/x' })
  await expect(drain()).rejects.toThrow('404')
  await expect(drain()).rejects.toThrow('no length')
  await expect(drain()).rejects.toThrow('closed')
  await expect(drain()).rejects.toThrow('closed')
})
