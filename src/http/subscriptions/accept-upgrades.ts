/**
 * WebSockets. A request for one passes through the same hooks as any other: its caller is identified,
 * admitted and limited, and its errors are HTTP responses. Only then is it upgraded.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { invalidArgument } from '../../contract/errors.ts'
import { BODY_MAX_BYTES } from '../../contract/limits.ts'
import type { App } from '../app.ts'
import { type CorsOrigins, refuseForeignOrigin } from '../request/cors.ts'
import { SWITCHING_PROTOCOLS } from '../request/request-hooks.ts'

/** Upgrades requests for WebSockets. */
export class Upgrades {
  /** The bytes after the head of each request that asks for an upgrade. */
  readonly #heads = new WeakMap<IncomingMessage, Buffer>()
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: BODY_MAX_BYTES,
    // A client that does not read would let them pile up.
    autoPong: false,
    // Clients require that one of their protocols is chosen.
    handleProtocols: (protocols) => protocols.values().next().value ?? false,
  })

  readonly #origins: CorsOrigins | undefined

  /** Passes requests for WebSockets on to the routes of an application. */
  constructor(app: App, Response: typeof ServerResponse, origins: CorsOrigins | undefined) {
    this.#origins = origins
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#heads.set(request, head)
      bearerFromProtocol(request)
      const response = new Response(request)
      // The connection is not one of HTTP any more, also if the upgrade is refused.
      response.shouldKeepAlive = false
      response.once('finish', () => socket.end())
      socket.on('error', () => socket.destroy())
      response.assignSocket(request.socket)
      app.server.emit('request', request, response)
    })
  }

  /** Upgrades a request. Throws if it does not ask for a WebSocket, or comes from another web site. */
  async accept({ raw: request }: FastifyRequest, reply: FastifyReply): Promise<WebSocket> {
    const head = this.#heads.get(request)
    if (head === undefined || !isWebSocket(request)) {
      throw invalidArgument('upgrade', 'is missing; this path is a WebSocket')
    }
    refuseForeignOrigin(request, this.#origins)
    const { raw: response } = reply.hijack()
    const { socket } = request
    response.removeAllListeners('finish')
    response.detachSocket(socket)
    response.statusCode = SWITCHING_PROTOCOLS
    // What counts the request as in progress waits for the end of its response.
    socket.once('close', () => response.emit('close'))
    return new Promise((resolve) => this.#sockets.handleUpgrade(request, socket, head, resolve))
  }
}

/** Returns whether a request asks for a WebSocket; other upgrades, such as `h2c`, are ignored. */
export function isWebSocket({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

const BEARER_PROTOCOL = /^Bearer-(?<token>[\w.~+/=-]+)$/

/** Browsers cannot send an Authorization header with a WebSocket: a protocol names the token. */
function bearerFromProtocol({ headers }: IncomingMessage): void {
  for (const protocol of headers['sec-websocket-protocol']?.split(',') ?? []) {
    const token = BEARER_PROTOCOL.exec(protocol.trim())?.groups?.['token']
    if (token !== undefined) headers.authorization ??= `Bearer ${token}`
  }
}
