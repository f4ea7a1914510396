/** One object set that a client follows: its updates are pages of changes. */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { type ObjectQueryError, statusOf } from '../../contract/errors.ts'
import { refuseUnknownMembers, unprocessable } from '../../query/parse/unprocessable.ts'
import type { ChangeForm } from '../../service/changes/change-form.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import { ChangesFollower, isEmpty } from '../../service/changes/follow-changes.ts'
import { readFollowedSet } from '../../service/object-sets/followed-set.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { reportError, shortened } from '../response/error-response.ts'
import { slicesOf } from '../response/push.ts'
import type { Services } from '../services.ts'
import type { Channel } from './channel.ts'

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

/** How the SDK describes changes. */
const UPDATES: ChangeForm = {
  name: 'updates',
  put: ['{"type":"object","object":', ',"state":"ADDED_OR_UPDATED"}'],
  deleted: (key, { apiName, primaryKey }) => ({
    type: 'object',
    object: { __primaryKey: key, __apiName: apiName, [primaryKey.apiName]: key },
    state: 'REMOVED',
  }),
}

export class Subscription {
  readonly id: string
  readonly #wanted: SubscribeRequest
  readonly #channel: Channel
  readonly #request: FastifyRequest
  readonly #services: Services
  readonly #stopped = new AbortController()
  #pages: ChangesFollower | undefined
  /** The API name of the first type of the set. */
  #objectType: string | undefined

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
      identifyAgain: () => identifyAgain(this.#request, this.#services),
      readSpec: this.#readSpec,
      signal: this.#stopped.signal,
      // The connection has pings of its own.
      keepAliveMs: Infinity,
      isPatient: true,
      takeConnection: () => this.#channel.take(),
    }
    this.#pages?.[Symbol.dispose]()
    this.#pages = new ChangesFollower(follower, await this.#readSpec(), this.#services)
    try {
      // It has no changes, only the version to start from.
      await this.#pages.next()
      this.#pages.release()
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
      const head = `{"type":"objectSetChanged","id":"${id}","updates":[`
      await this.#channel.send(head, ...slicesOf(page.records), ']}')
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
    await this.#send({ type: 'refreshObjectSet', id: this.id, objectType: this.#objectType })
  }

  async #close(error: ObjectQueryError): Promise<void> {
    this.stop()
    if (statusOf(error.errorName) === 401) {
      this.#channel.refuse(error)
      return
    }
    const cause = { type: 'error', ...errorOf(error) }
    await this.#send({ type: 'subscriptionClosed', id: this.id, cause })
  }

  #send(message: object): Promise<void> {
    return this.#channel.send(JSON.stringify(message))
  }

  readonly #readSpec = async (since = 'now'): Promise<ChangesSpec> => {
    const { catalogue, caller, context, params } = this.#request
    const { ontology: name } = params as { readonly ontology: string }
    const ontology = resolveOntology(catalogue, caller, name)
    const { objectSet, propertySet = [], objectLoadingResponseOptions } = this.#wanted
    const excludeRid = objectLoadingResponseOptions?.shouldLoadObjectRids === false
    const wanted = { objectSet, select: propertySet.map(String), excludeRid, since }
    const set = await readFollowedSet(wanted, ontology, context, this.#services)
    this.#objectType = set.parts[0]?.objectType.apiName
    return { ...set, paging: { since }, form: UPDATES }
  }
}

/** Returns an error as the SDK describes those of subscriptions. */
export function errorOf({ errorName, parameters }: ObjectQueryError) {
  const args = Object.entries(shortened(parameters)).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))
  return { error: errorName, args }
}
