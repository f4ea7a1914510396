/** One object set that a client follows: its updates are pages of changes. */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { type ObjectQueryError, statusOf } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { refuseUnknownMembers, unprocessable } from '../../query/parse/unprocessable.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import { readFollowedSet } from '../../service/object-sets/followed-set.ts'
import type { Page } from '../../service/pages/page.ts'
import { ChangesFollower, isEmpty } from '../page/follow-changes.ts'
import { reportError, shortened } from '../response/error-response.ts'
import type { Services } from '../services.ts'

export type SubscribeRequest = Static<typeof SubscribeRequest>
export const SubscribeRequest = Type.Object({
  objectSet: Type.Unknown(),
  propertySet: Type.Optional(Type.Array(Type.Unknown())),
  referenceSet: Type.Optional(Type.Array(Type.Unknown())),
  objectLoadingResponseOptions: Type.Optional(
    Type.Object({ shouldLoadObjectRids: Type.Optional(Type.Boolean()) }),
  ),
})

/** Refuses what would have no effect: the client would take the updates for others. */
function checkRequest(request: SubscribeRequest): void {
  const { referenceSet = [], objectLoadingResponseOptions: options = {} } = request
  const members = Object.keys(SubscribeRequest.properties)
  refuseUnknownMembers(request, members, 'request', 'a subscription')
  const path = 'request.objectLoadingResponseOptions'
  refuseUnknownMembers(options, ['shouldLoadObjectRids'], path, 'the options')
  if (referenceSet.length > 0) {
    throw unprocessable('request.referenceSet', 'must be empty: no property is a reference')
  }
}

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

export class Subscription {
  readonly id: string
  readonly #wanted: SubscribeRequest
  readonly #channel: Channel
  readonly #request: FastifyRequest
  readonly #services: Services
  readonly #stopped = new AbortController()
  #pages: ChangesFollower | undefined
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
  }

  /** A subscription that has closed does not go on: the client can make it again. */
  get isStopped(): boolean {
    return this.#stopped.signal.aborted
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** Follows the set from now on. Throws if it cannot be followed. */
  async start(): Promise<void> {
    checkRequest(this.#wanted)
    const follower = {
      request: this.#request,
      readSpec: this.#readSpec,
      signal: this.#stopped.signal,
      // The connection has pings of its own.
      keepAliveMs: Infinity,
      isPatient: true,
    }
    this.#pages?.[Symbol.dispose]()
    this.#pages = new ChangesFollower(follower, await this.#readSpec(), this.#services)
    try {
      // It has no changes, only the version to start from.
      await this.#pages.next()
    } catch (error) {
      this.#pages[Symbol.dispose]()
      throw error
    }
  }

  /** Sends updates until the subscription is stopped. */
  async run(): Promise<void> {
    let pages: number | undefined = 0
    while (pages !== undefined && !this.isStopped && !this.#services.stopping.aborted) {
      try {
        pages = await this.#sendNext(pages)
        if (pages !== undefined && pages > MAX_PAGES) {
          await this.#refresh()
          pages = 0
        }
      } catch (error) {
        const known = reportError(error, this.#request, this.#services)
        // What was followed is gone, or the rights of the caller have changed.
        const isGone = known.errorName === 'InvalidPageToken'
        if (isGone && (await this.#hasRefreshed())) continue
        await this.#close(known)
        break
      }
    }
    this.#pages?.[Symbol.dispose]()
  }

  /**
   * Sends the next page, unless there are more changes than are worth sending. Returns how many pages
   * its range has had before the last; undefined at the end.
   */
  async #sendNext(earlierPages: number): Promise<number | undefined> {
    const page = await this.#pages?.next()
    if (page === undefined) return undefined
    if (page === 'silence' || isEmpty(page)) return earlierPages
    const pages = page.nextPageToken === undefined ? 0 : earlierPages + 1
    const { id } = this
    if (pages <= MAX_PAGES) {
      await this.#channel.send({ type: 'objectSetChanged', id, updates: this.#updates(page) })
    }
    return pages
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
    this.stop()
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
    const { objectSet, propertySet = [], objectLoadingResponseOptions } = this.#wanted
    const excludeRid = objectLoadingResponseOptions?.shouldLoadObjectRids === false
    const wanted = { objectSet, select: propertySet.map(String), excludeRid, since }
    const set = await readFollowedSet(wanted, ontology, context, this.#services)
    this.#objectTypes = new Map(set.parts.map(({ objectType: type }) => [type.apiName, type]))
    return { ...set, paging: { since } }
  }
}

type Change =
  | { readonly put: object }
  | { readonly delete: { readonly primaryKey: unknown; readonly objectType: string } }

/** Returns an error as the SDK describes those of subscriptions. */
export function errorOf({ errorName, parameters }: ObjectQueryError) {
  const args = Object.entries(shortened(parameters)).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))
  return { error: errorName, args }
}
