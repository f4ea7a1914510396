/** The requests in progress on each connection, also several on one (pipelining). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestLifetime } from './request-lifetime.ts'

/** The number of pipelined requests on one connection. */
const MAX_PIPELINED_REQUESTS = 16

export class OpenRequests {
  readonly #open = new WeakMap<Socket, Set<RequestLifetime>>()
  /** The last request of each connection, also after it has ended. */
  readonly #latest = new WeakMap<Socket, RequestLifetime>()

  /** Opens a request. Returns undefined if its connection has too many. */
  open(request: IncomingMessage, response: ServerResponse): RequestLifetime | undefined {
    const { socket } = request
    const open = this.#openOn(socket)
    if (open.size >= MAX_PIPELINED_REQUESTS) return undefined
    const lifetime = new RequestLifetime(request, response, () => open.delete(lifetime))
    open.add(lifetime)
    this.#latest.set(socket, lifetime)
    response.once('close', () => lifetime.end())
    return lifetime
  }

  /** Resolves once every request on the connection that will be answered has been answered. */
  async untilAnswered(socket: Socket): Promise<void> {
    const answered = [...(this.#open.get(socket) ?? [])].filter(
      (request) => !request.isReceiving || request.isAnsweredEarly,
    )
    await Promise.all(answered.map((request) => new Promise<void>((done) => request.defer(done))))
  }

  /** Returns whether the request that a connection still sends has its response already. */
  isAnsweredEarly(socket: Socket): boolean {
    return this.#latest.get(socket)?.isAnsweredEarly ?? false
  }

  /** Returns whether an idle connection is idle because its client waits for a response. */
  isClientWaiting(socket: Socket): boolean {
    const open = [...(this.#open.get(socket) ?? [])]
    return (
      socket.writableLength === 0 &&
      open.length > 0 &&
      open.every((request) => !request.isReceiving)
    )
  }

  #openOn(socket: Socket): Set<RequestLifetime> {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const open = new Set<RequestLifetime>()
    this.#open.set(socket, open)
    // Responses that wait behind another one do not emit `close` when the connection closes.
    socket.once('close', () => {
      for (const request of [...open]) request.end()
    })
    return open
  }
}
