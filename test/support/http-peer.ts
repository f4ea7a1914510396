/** A real HTTP server that sends given responses, for faults that a service does not produce. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpPeer extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request. */
  readonly requests: string[]
  readonly headers: NodeJS.Dict<string | string[]>[]
}

/** Starts a server that sends the responses one per request, and repeats the last one. */
export async function startPeer(...answers: RequestListener[]): Promise<HttpPeer> {
  const requests: string[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function sendJson(status: number, body: unknown, headers = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

export const unavailable = sendJson(
  503,
  { errorName: 'ServiceUnavailable', errorDescription: 'Try again.', parameters: {} },
  { 'retry-after': '3' },
)

/** Closes the connection without a response. */
export const hangUp: RequestListener = (request) => request.socket.destroy()

/** Closes the connection in the middle of a body. */
export const breakMidway: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"data": [', () => response.destroy())
}
