/** A service that may open few descriptors, and strangers that take as many connections as they can. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { logLinesOf, OQS, startProgram, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

const DESCRIPTORS = 256
const STRANGERS = 600

const folder = useServiceFolder({ OQS_ADMIN_TOKEN: ADMIN_TOKEN, OQS_LOG_LEVEL: 'warn' })

/** Starts a service whose processes may open few descriptors. */
function startLimited(settings: Record<string, string>) {
  const limit = `ulimit -n ${DESCRIPTORS} && exec "$@"`
  const args = ['-c', limit, 'sh', process.execPath, OQS, 'serve']
  return startProgram('sh', args, folder.settings(settings))
}

/** Opens connections that send something, and nothing more. */
async function openStrangers(url: string, bytes: string) {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  for (let n = 0; n < STRANGERS; n += 1) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket.on('error', () => {}))
    await once(socket, 'connect')
    socket.write(bytes)
  }
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

const UNFINISHED =
  'POST /multipass/api/oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 10\r\n\r\na'

describe('a service with few descriptors', () => {
  it.each([
    ['connections without a request', '', '1'],
    ['requests that are never completed', UNFINISHED, '1'],
    ['connections to workers', '', '2'],
  ])('serves others beside %s', async (_, bytes, workers) => {
    await using oqs = startLimited({ OQS_WORKERS: workers })
    const url = await waitForLine(oqs, 'listening on ')
    const definition = `${url}/api/admin/v1/ontologies/numbers`
    expect((await sendTo(definition, { method: 'PUT', json: NUMBERS })).status).toBe(200)
    using _strangers = await openStrangers(url, bytes)
    const post = (path: string, body: string, type = 'application/json') =>
      sendTo(path, {
        method: 'POST',
        body,
        // A new connection, which needs a descriptor.
        headers: { connection: 'close', 'content-type': type },
      })
    const lines = numbers(1000).map((object) => JSON.stringify({ put: object }))
    const batch = `${definition}/objects/number`
    const listing = `${url}/api/v1/ontologies/numbers/objects/number`
    for (let round = 0; round < 5; round += 1) {
      const written = await post(batch, lines.join('\n'), 'application/x-ndjson')
      expect(written.status).toBe(200)
      // Slow, so it needs another process.
      const query = { type: 'phrase', field: 'properties.text', value: `number ${round}` }
      expect((await post(`${listing}/search`, JSON.stringify({ query }))).status).toBe(200)
    }
    const connections = DESCRIPTORS - 96
    expect(logLinesOf(oqs, 'connectionsReduced')).toMatchObject([
      { level: 'warn', connections, descriptors: DESCRIPTORS },
    ])
  })
})
