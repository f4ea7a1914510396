/**
 * Subscriptions to object sets, as the official SDK makes them over a WebSocket. Each message of the
 * client names all its subscriptions, and replaces those of its last message; one that it names again
 * goes on. Updates are pages of changes; if they cannot be told, the client is asked to load again.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ObjectQueryError, statusOf } from '../../contract/errors.ts'
import { refuseUnknownMembers } from '../../query/parse/unprocessable.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { reportError } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import type { Channel } from './channel.ts'
import { errorOf, SubscribeRequest, Subscription } from './subscription.ts'

/** The number of subscriptions of one connection. */
const SUBSCRIPTIONS_MAX = 100

/** The id of a message, which its response repeats. */
const ID_MAX_LENGTH = 100

const Subscribe = Type.Object({
  id: Type.String({ maxLength: ID_MAX_LENGTH }),
  requests: Type.Array(SubscribeRequest, { maxItems: SUBSCRIPTIONS_MAX }),
})

/** The subscriptions of one connection. */
export class Subscriptions {
  readonly #channel: Channel
  readonly #request: FastifyRequest
  readonly #services: Services
  /** By what they follow. */
  #running = new Map<string, Subscription>()
  #handled: Promise<void> = Promise.resolve()
  #isRefused = false
  #isStopped = false

  constructor(channel: Channel, request: FastifyRequest, services: Services) {
    this.#channel = channel
    this.#request = request
    this.#services = services
  }

  /**
   * Handles a message of the client, after those before it. Meanwhile the client is not read, so that
   * no more messages wait than have arrived together.
   */
  receive(text: string): void {
    const resume = this.#channel.pause()
    this.#handled = this.#handled.then(() => this.#handle(text)).then(resume)
  }

  /** Closes the connection if its caller has lost its rights. */
  async checkCaller(): Promise<void> {
    try {
      await identifyAgain(this.#request, this.#services)
    } catch (error) {
      // One that cannot be identified now is asked again later.
      const known = reportError(error, this.#request, this.#services)
      if ([401, 403].includes(statusOf(known.errorName))) this.#refuse(known)
    }
  }

  stop(): void {
    this.#isStopped = true
    for (const subscription of this.#running.values()) subscription.stop()
  }

  #refuse(error: ObjectQueryError): void {
    this.#isRefused = true
    this.#channel.refuse(error)
  }

  async #handle(text: string): Promise<void> {
    const { admission } = this.#services
    const { callerId } = this.#request.context
    try {
      // Each message is a request, although all came on one.
      if (!this.#isRefused) await admission.runCounted(callerId, () => this.#replace(text))
    } catch (error) {
      this.#refuse(reportError(error, this.#request, this.#services))
    }
  }

  async #replace(text: string): Promise<void> {
    await identifyAgain(this.#request, this.#services)
    const { id, requests } = parseMessage(text)
    const next = new Map<string, Subscription>()
    const responses: object[] = []
    const started: Subscription[] = []
    for (const [key, request] of keyed(requests)) {
      const running = this.#running.get(key)
      const known = running?.isStopped ? undefined : running
      const subscription =
        known ?? new Subscription(request, this.#channel, this.#request, this.#services)
      try {
        if (known === undefined) {
          await subscription.start()
          started.push(subscription)
        }
        next.set(key, subscription)
        responses.push({ type: 'success', id: subscription.id })
      } catch (error) {
        const known = reportError(error, this.#request, this.#services)
        responses.push({ type: 'error', errors: [errorOf(known)] })
      }
    }
    for (const [key, subscription] of this.#running) if (!next.has(key)) subscription.stop()
    this.#running = next
    // The client may have left meanwhile.
    if (this.#isStopped) this.stop()
    // Updates follow the response, which tells the client their id.
    await this.#channel.send(JSON.stringify({ type: 'subscribeResponses', id, responses }))
    for (const subscription of started) void subscription.run()
  }
}

/** Returns the requests by what they follow. A client may subscribe to the same set several times. */
function keyed(requests: readonly SubscribeRequest[]): ReadonlyMap<string, SubscribeRequest> {
  const byKey = new Map<string, SubscribeRequest>()
  for (const request of requests) {
    const set = textOf(request)
    let copies = 0
    while (byKey.has(`${set} ${copies}`)) copies += 1
    byKey.set(`${set} ${copies}`, request)
  }
  return byKey
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    throw unreadable('is nested too deeply')
  }
}

function parseMessage(text: string): Static<typeof Subscribe> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw unreadable('is not JSON')
  }
  if (Value.Check(Subscribe, message)) {
    refuseUnknownMembers(message, ['id', 'requests'], 'message', 'a subscription message')
    return message
  }
  throw unreadable(
    `must have an id of up to ${ID_MAX_LENGTH} characters and up to ${SUBSCRIPTIONS_MAX} requests`,
  )
}

function unreadable(reason: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', { parameter: 'message', reason })
}
