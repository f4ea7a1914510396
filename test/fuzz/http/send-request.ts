/** Sends requests byte by byte as they are described, which HTTP libraries would refuse to do. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { bodyOf, type Framing, type FuzzRequest } from './fuzz-request.ts'

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Why there is no answer. */
export type NoAnswer = 'closed without a response' | 'no response in time' | 'not HTTP'

/** Texts for the placeholders in requests, such as `admin` for `{{admin}}`. */
export type Placeholders = ReadonlyMap<string, string>

/** Only ends requests that hang: on a busy machine a request takes many times as long. */
const HANGS_AFTER_MS = 60_000

/**
 * Refusals are delayed per client address. On Linux every address of 127.0.0.0/8 can be used, so
 * requests that are refused on purpose do not slow down the run.
 */
const CLIENT_ADDRESSES = process.platform === 'linux' ? 200 : 1

/** Sends a request on a connection of its own. */
export async function sendRequest(
  url: URL,
  request: FuzzRequest,
  placeholders: Placeholders,
  client = 0,
): Promise<Answer | NoAnswer> {
  const address = `127.0.0.${1 + (client % CLIENT_ADDRESSES)}`
  const socket = connect({ port: Number(url.port), host: url.hostname, localAddress: address })
  const timer = setTimeout(() => socket.destroy(new Error('timeout')), HANGS_AFTER_MS)
  try {
    await once(socket, 'connect')
    const received: Buffer[] = []
    socket.on('data', (piece: Buffer) => received.push(piece))
    // A service that rejects a request early may close before it has read all of it.
    let isLate = false
    socket.on('error', (error) => {
      isLate = error.message === 'timeout'
    })
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.write(requestBytes(request, placeholders, url))
    // Node answers no request whose client has ended its side, so only endless ones are ended.
    if (INCOMPLETE.includes(request.framing ?? 'length')) socket.end()
    await closed
    if (isLate) return 'no response in time'
    return parseAnswer(Buffer.concat(received), request.method)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

function requestBytes(request: FuzzRequest, placeholders: Placeholders, { host }: URL): Buffer {
  const fill = (text: string) =>
    text.replaceAll(/\{\{([\w:]+)\}\}/g, (mark, name: string) => placeholders.get(name) ?? mark)
  const body = request.body === undefined ? bodyOf(request) : Buffer.from(fill(request.body))
  const framed = frame(body, request.framing ?? 'length')
  const hasHost = request.headers.some(([name]) => name === 'host')
  const lines = [
    `${request.method} ${fill(request.target)} HTTP/1.1`,
    ...(hasHost ? [] : [`host: ${host}`]),
    'connection: close',
    ...request.headers.map(([name, value]) => `${name}: ${fill(value).replaceAll(/[\r\n]/g, ' ')}`),
    ...framed.headers,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), framed.body])
}

interface Framed {
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** Framings that promise more than is sent: the service would wait for the rest. */
const INCOMPLETE: readonly Framing[] = [
  'length too long',
  'chunk shorter than its size',
  'no last chunk',
]

const CHUNKED = 'transfer-encoding: chunked'
const LAST_CHUNK = '0\r\n\r\n'

function frame(body: Buffer | undefined, framing: Framing): Framed {
  if (body === undefined && framing === 'length') return { headers: [], body: Buffer.alloc(0) }
  const content = body ?? Buffer.alloc(0)
  const { length } = content
  const lengthOf = (value: number | string) => `content-length: ${value}`
  const chunk = (size: string) =>
    Buffer.concat([Buffer.from(`${size}\r\n`), content, Buffer.from('\r\n')])
  const hex = length.toString(16)
  switch (framing) {
    case 'length':
      return { headers: [lengthOf(length)], body: content }
    case 'chunked':
      return { headers: [CHUNKED], body: chunks(content) }
    case 'length too short':
      return { headers: [lengthOf(Math.floor(length / 2))], body: content }
    case 'length too long':
      return { headers: [lengthOf(length + 10)], body: content }
    case 'length is not a number':
      return { headers: [lengthOf('-1')], body: content }
    case 'two lengths':
      return { headers: [lengthOf(length), lengthOf(length + 1)], body: content }
    case 'length and chunks':
      return { headers: [lengthOf(length), CHUNKED], body: chunks(content) }
    case 'chunk size is not a number':
      return { headers: [CHUNKED], body: chunk('xyz') }
    case 'chunk shorter than its size':
      return { headers: [CHUNKED], body: chunk(`${hex}f`) }
    case 'no last chunk':
      return { headers: [CHUNKED], body: length === 0 ? content : chunk(hex) }
    case 'unknown transfer coding':
      return { headers: ['transfer-encoding: gzip, chunked'], body: chunks(content) }
  }
}

/** Splits a body into chunks of one, two, four … bytes, with extensions and a trailer. */
function chunks(content: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0, size = 1; at < content.length; at += size, size *= 2) {
    const piece = content.subarray(at, at + size)
    const extension = parts.length === 0 ? ';name="value"' : ''
    parts.push(
      Buffer.from(`${piece.length.toString(16)}${extension}\r\n`),
      piece,
      Buffer.from('\r\n'),
    )
    if (size > 1024) size = 1024
  }
  return Buffer.concat([...parts, Buffer.from(LAST_CHUNK)])
}

const HEAD_END = '\r\n\r\n'

function parseAnswer(received: Buffer, method: string): Answer | NoAnswer {
  if (received.length === 0) return 'closed without a response'
  const end = received.indexOf(HEAD_END)
  const [line = '', ...fields] = received.toString('latin1', 0, Math.max(0, end)).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})\b/.exec(line)?.[1])
  if (!Number.isInteger(status)) return 'not HTTP'
  const rest = received.subarray(end + HEAD_END.length)
  // The answer follows an invitation to send the body.
  if (status === 100) return parseAnswer(rest, method)
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  const body = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest
  return body === undefined ? 'not HTTP' : { status, headers, body }
}

/** Returns the content of chunks; undefined if the last one is missing. */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(size >= 0)) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
