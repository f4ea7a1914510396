/** The WebSocket of subscriptions: `…/streamSubscriptions` of the official SDK. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { RawData, WebSocket } from 'ws'
import { closed } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import { IGNORED_PARAMETERS, refuseBranch } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import type { Upgrades } from './accept-upgrades.ts'
import { Channel } from './channel.ts'
import { Subscriptions } from './subscriptions.ts'

const PATH = '/api/v2/ontologySubscriptions/ontologies/:ontology/streamSubscriptions'

/** `openapi.json` cannot describe WebSockets; the audit log has a record of each. */
const OPERATION = {
  hide: true,
  operationId: 'streamSubscriptions',
  querystring: Type.Object(IGNORED_PARAMETERS, closed),
} as const

/** Finds out which clients are gone: they no longer answer a ping by the time of the next one. */
const PING_MS = 60_000
/** The code of RFC 6455 for a service that stops. */
const GOING_AWAY = 1001
/** How long a client has to confirm that the connection is closed. */
const CLOSING_MS = 1000

export function addSubscriptions(app: App, services: Services, upgrades: Upgrades): void {
  const options = { config: { scope: 'api:ontologies-read' }, schema: OPERATION } as const
  app.get(PATH, options, async (request, reply) => {
    refuseBranch(request.query)
    services.admission.startFollowing(request.context)
    const socket = await upgrades.accept(request, reply)
    serve(socket, request, services)
    return reply
  })
}

function serve(socket: WebSocket, request: FastifyRequest, services: Services): void {
  const channel = new Channel(socket, request, services)
  const subscriptions = new Subscriptions(channel, request, services)
  const stop = () => {
    socket.close(GOING_AWAY)
    setTimeout(() => socket.terminate(), CLOSING_MS).unref()
  }
  let isAlive = true
  const pings = setInterval(() => {
    // It is not read while something waits to be sent.
    if (!isAlive && !channel.isSending) socket.terminate()
    isAlive = false
    socket.ping()
    void subscriptions.checkCaller()
  }, PING_MS)
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (message) => subscriptions.receive(textOf(message)))
  // A broken connection is closed as well.
  socket.on('error', () => {})
  services.stopping.addEventListener('abort', stop)
  if (services.stopping.aborted) stop()
  socket.once('close', () => {
    clearInterval(pings)
    services.stopping.removeEventListener('abort', stop)
    subscriptions.stop()
  })
}

function textOf(message: RawData): string {
  return Buffer.isBuffer(message) ? message.toString('utf8') : ''
}
