/**
 * Subscriptions to object sets, as the official SDK makes them over a WebSocket. Each message of the
 * client names all its subscriptions, and replaces those of its last message; one that it names again
 * goes on. Updates are pages of changes; if they cannot be told, the client is asked to load again.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { resolveOntology } from '../../access/resolve.ts'
import { ObjectQueryError, statusOf } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import { readFollowedSet } from '../../service/object-sets/followed-set.ts'
import type { Page } from '../../service/pages/page.ts'
import { type Followed, followChanges, isEmpty, NEW_TOKEN_MS } from '../page/follow-changes.ts'
import { reportError, shortened } from '../response/error-response.ts'
import type { Services } from '../services.ts'

/** The number of subscriptions of one connection. */
const SUBSCRIPTIONS_MAX = 100

/** The id of a message, which its response repeats. */
const ID_MAX_LENGTH = 100

const Subscribe = Type.Object({
  id: Type.String({ maxLength: ID_MAX_LENGTH }),
  requests: Type.Array(
    Type.Object({
      objectSet: Type.Unknown(),
      propertySet: Type.Optional(Type.Array(Type.Unknown())),
    }),
    { maxItems: SUBSCRIPTIONS_MAX },
  ),
})

type SubscribeRequest = Static<typeof Subscribe>['requests'][number]

/** After this many pages of one range, loading the set again costs less than all its changes. */
const MAX_PAGES = 10

/** The connection of the client. */
export interface Channel {
  /** Resolves when the message is sent, so that a slow client is not sent more. */
  send(message: object): Promise<void>
  /** Stops receiving messages for a while. */
  pause(): void
  resume(): void
  /** Closes the connection, because the client may no longer use it. */
  refuse(error: ObjectQueryError): void
}

/** The subscriptions of one connection. */
export class Subscriptions {
  readonly #channel: Channel
  readonly #request: FastifyRequest
  readonly #services: Services
  /** By what they follow. */
  #running = new Map<string, Subscription>()
  #handled: Promise<void> = Promise.resolve()
  #unhandled = 0
  #isRefused = false

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
    this.#channel.pause()
    this.#unhandled += 1
    this.#handled = this.#handled.then(() => this.#handle(text))
  }

  stop(): void {
    for (const subscription of this.#running.values()) subscription.stop()
  }

  async #handle(text: string): Promise<void> {
    const { admission } = this.#services
    const { callerId } = this.#request.context
    try {
      // Each message is a request, although all came on one.
      if (!this.#isRefused) await admission.runCounted(callerId, () => this.#replace(text))
    } catch (error) {
      this.#isRefused = true
      this.#channel.refuse(reportError(error, this.#request, this.#services))
    }
    this.#unhandled -= 1
    if (this.#unhandled === 0) this.#channel.resume()
  }

  async #replace(text: string): Promise<void> {
    const { id, requests } = parseMessage(text)
    const next = new Map<string, Subscription>()
    const responses: object[] = []
    const started: Subscription[] = []
    for (const request of requests) {
      const key = keyOf(request, next)
      const known = this.#running.get(key)
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
    // Updates follow the response, which tells the client their id.
    await this.#channel.send({ type: 'subscribeResponses', id, responses })
    for (const subscription of started) void subscription.run()
  }
}

/** Returns the key of a subscription. A client may subscribe to the same set several times. */
function keyOf({ objectSet, propertySet }: SubscribeRequest, others: Map<string, unknown>): string {
  const set = JSON.stringify([objectSet, propertySet])
  let copies = 0
  while (others.has(`${set} ${copies}`)) copies += 1
  return `${set} ${copies}`
}

function parseMessage(text: string): Static<typeof Subscribe> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw unreadable('is not JSON')
  }
  if (Value.Check(Subscribe, message)) return message
  throw unreadable(
    `must have an id of up to ${ID_MAX_LENGTH} characters and up to ${SUBSCRIPTIONS_MAX} requests`,
  )
}

function unreadable(reason: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', { parameter: 'message', reason })
}

/** One object set that is followed. */
class Subscription {
  readonly id: string
  readonly #wanted: SubscribeRequest
  readonly #channel: Channel
  readonly #request: FastifyRequest
  readonly #services: Services
  readonly #stopped = new AbortController()
  readonly #signal: AbortSignal
  #pages: AsyncGenerator<Followed> | undefined
  /** Those of the set, by API name. */
  #objectTypes: ReadonlyMap<string, ObjectType> = new Map()

  constructor(
    wanted: SubscribeRequest,
    channel: Channel,
    request: FastifyRequest,
    services: Services,
  ) {
    this.id = services.newUuid()
    this.#wanted = wanted
    this.#channel = channel
    this.#request = request
    this.#services = services
    this.#signal = AbortSignal.any([request.context.signal(), this.#stopped.signal])
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** Follows the set from now on. Throws if it cannot be followed. */
  async start(): Promise<void> {
    const follower = {
      request: this.#request,
      readSpec: this.#readSpec,
      signal: this.#signal,
      // The connection has pings of its own.
      keepAliveMs: NEW_TOKEN_MS,
      wait: (event: () => Promise<boolean>) => event(),
    }
    this.#pages = followChanges(follower, await this.#readSpec(), this.#services)
    // It has no changes, only the version to start from.
    await this.#pages.next()
  }

  /** Sends updates until the subscription is stopped. */
  async run(): Promise<void> {
    while (!this.#signal.aborted && !this.#services.stopping.aborted) {
      try {
        if (await this.#sendUpdates()) return
        await this.#refresh()
      } catch (error) {
        const known = reportError(error, this.#request, this.#services)
        // What was followed is gone, or the rights of the caller have changed.
        if (known.errorName === 'InvalidPageToken' && (await this.#hasRefreshed())) continue
        await this.#close(known)
        return
      }
    }
  }

  /** Returns true at the end, and false if there are more changes than are worth sending. */
  async #sendUpdates(): Promise<boolean> {
    let pages = 0
    for await (const page of this.#pages ?? []) {
      if (page === 'silence' || isEmpty(page)) continue
      pages = page.nextPageToken === undefined ? 0 : pages + 1
      if (pages > MAX_PAGES) return false
      await this.#channel.send({
        type: 'objectSetChanged',
        id: this.id,
        updates: this.#updates(page),
      })
    }
    return true
  }

  async #hasRefreshed(): Promise<boolean> {
    return this.#refresh().then(
      () => true,
      () => false,
    )
  }

  async #refresh(): Promise<void> {
    await this.start()
    const [objectType] = this.#objectTypes.keys()
    await this.#channel.send({ type: 'refreshObjectSet', id: this.id, objectType })
  }

  async #close(error: ObjectQueryError): Promise<void> {
    if (statusOf(error.errorName) === 401) {
      this.#channel.refuse(error)
      return
    }
    const cause = { type: 'error', ...errorOf(error) }
    await this.#channel.send({ type: 'subscriptionClosed', id: this.id, cause })
  }

  #updates({ records }: Page): readonly object[] {
    const changes = JSON.parse(`[${Buffer.from(records).toString('utf8')}]`) as readonly Change[]
    return changes.map((change) => {
      if ('put' in change) return { type: 'object', object: change.put, state: 'ADDED_OR_UPDATED' }
      const { primaryKey: key, objectType: apiName } = change.delete
      const { primaryKey } = this.#objectTypes.get(apiName) ?? {}
      const own = primaryKey === undefined ? {} : { [primaryKey.apiName]: key }
      const object = { __primaryKey: key, __apiName: apiName, ...own }
      return { type: 'object', object, state: 'REMOVED' }
    })
  }

  readonly #readSpec = async (since = 'now'): Promise<ChangesSpec> => {
    const { catalogue, caller, context, params } = this.#request
    const { ontology: name } = params as { readonly ontology: string }
    const ontology = resolveOntology(catalogue, caller, name)
    const { objectSet, propertySet = [] } = this.#wanted
    const wanted = { objectSet, select: propertySet.map(String), since }
    const set = await readFollowedSet(wanted, ontology, context, this.#services)
    this.#objectTypes = new Map(set.parts.map(({ objectType: type }) => [type.apiName, type]))
    return { ...set, paging: { since } }
  }
}

type Change =
  | { readonly put: object }
  | { readonly delete: { readonly primaryKey: unknown; readonly objectType: string } }

/** Returns an error as the SDK describes those of subscriptions. */
function errorOf({ errorName, parameters }: ObjectQueryError) {
  const args = Object.entries(shortened(parameters)).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))
  return { error: errorName, args }
}
