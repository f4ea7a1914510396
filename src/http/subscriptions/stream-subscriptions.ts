/** The WebSocket of subscriptions: `…/streamSubscriptions` of the official SDK. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { RawData, WebSocket } from 'ws'
import type { MemoryReservation } from '../../admission/request-memory.ts'
import { type ObjectQueryError, statusOf } from '../../contract/errors.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import { IGNORED_PARAMETERS, refuseBranch } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'
import type { Upgrades } from './accept-upgrades.ts'
import type { Channel } from './subscription.ts'
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
/** The codes of RFC 6455 for a service that stops, and for clients that may go on never or later. */
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013
/** The longest reason that RFC 6455 allows. */
const REASON_MAX_BYTES = 123
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
  const subscriptions = new Subscriptions(channelOf(socket), request, services)
  const stop = () => {
    socket.close(GOING_AWAY)
    setTimeout(() => socket.terminate(), CLOSING_MS).unref()
  }
  let isAlive = true
  const pings = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
    socket.ping()
    void subscriptions.checkCaller()
  }, PING_MS)
  socket.on('pong', () => {
    isAlive = true
  })
  const received = countBytes(socket, request, services)
  socket.on('message', (message) => {
    received.release()
    subscriptions.receive(textOf(message))
  })
  // A broken connection is closed as well.
  socket.on('error', () => {})
  services.stopping.addEventListener('abort', stop)
  if (services.stopping.aborted) stop()
  socket.once('close', () => {
    clearInterval(pings)
    services.stopping.removeEventListener('abort', stop)
    received.release()
    subscriptions.stop()
  })
}

/** Counts what has arrived of a message as memory of the caller, until it is complete. */
function countBytes(
  socket: WebSocket,
  { raw, context }: FastifyRequest,
  { memory }: Services,
): MemoryReservation {
  const received = memory.reserve(context.callerId, 0)
  raw.socket.prependListener('data', ({ length }: Buffer) => {
    try {
      received.grow(length)
    } catch (error) {
      refuse(socket, error as ObjectQueryError)
    }
  })
  return received
}

function channelOf(socket: WebSocket): Channel {
  return {
    // A message that cannot be sent is followed by the end of the connection.
    send: (message) =>
      new Promise((resolve) => socket.send(JSON.stringify(message), () => resolve())),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    refuse: (error) => refuse(socket, error),
  }
}

function refuse(socket: WebSocket, { errorName, parameters }: ObjectQueryError): void {
  const isBusy = [429, 503].includes(statusOf(errorName))
  const { parameter, reason } = parameters
  const details = [parameter, reason].filter((one) => typeof one === 'string')
  const text = details.length === 0 ? errorName : `${errorName}: ${details.join(' ')}`
  const shortText = Buffer.from(text)
    .subarray(0, REASON_MAX_BYTES)
    .toString()
    .replace(/\uFFFD$/, '')
  socket.close(isBusy ? TRY_AGAIN_LATER : POLICY_VIOLATION, shortText)
}

function textOf(message: RawData): string {
  return Buffer.isBuffer(message) ? message.toString('utf8') : ''
}
