import { type Agent, type IncomingMessage, request } from 'node:http'

/** The client side of a measurement: sends, reads to the last byte, looks at nothing. */

/** Where requests go. */
export interface Target {
  readonly url: URL
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly contentType?: string
  readonly body?: string
}

/** Reads a response and throws it away; gives its bytes. */
export async function drainBody(target: Target, call: Call): Promise<number> {
  let bytes = 0
  await receive(target, call, (chunk) => {
    bytes += chunk.length
  })
  return bytes
}

export async function readBody(target: Target, call: Call): Promise<Buffer> {
  const chunks: Buffer[] = []
  await receive(target, call, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks)
}

function receive(
  { url, agent, headers }: Target,
  { method, path, contentType, body }: Call,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const ofBody = body === undefined ? {} : bodyHeaders(body, contentType)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: url.hostname,
        port: url.port,
        agent,
        method,
        path,
        headers: { ...headers, ...ofBody },
      },
      (response) => {
        response.on('data', onChunk)
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(refused(method, path, response))
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** What a request says of its body. */
export function bodyHeaders(
  body: string,
  contentType = 'application/json',
): Record<string, string> {
  return { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) }
}

function refused(method: string, path: string, { statusCode }: IncomingMessage): Error {
  return new Error(`${method} ${path.split('?')[0]} was answered with ${statusCode}`)
}
