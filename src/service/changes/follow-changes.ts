/**
 * Pages of changes without end, for one follower: what has changed, then what changes next. Between two
 * pages, the follower is identified again, so that it gets nothing that it may no longer see.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ObjectQueryError, statusOf } from '../../contract/errors.ts'
import { typesOfSet } from '../../store/object-store.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ChangesSpec } from './changes-walk.ts'
import type { Watch } from './followers.ts'
import { readFollowedChanges } from './read-followed-changes.ts'
import type { FollowedPage } from './shared-reads.ts'

/** Returns what a request follows, as its caller sees it now. The token is the one it goes on from. */
export type ReadSpec = (since?: string) => ChangesSpec | Promise<ChangesSpec>

/** How often a silent follower gets a new token, so that the last one never becomes too old. */
const NEW_TOKEN_MS = 600_000

/** What following needs; `stopping` is aborted when the service shuts down. */
type FollowServices = ServiceParts & { readonly stopping: AbortSignal }

export function renewalMs({ walkTokens }: ServiceParts): number {
  return Math.min(NEW_TOKEN_MS, 500 * walkTokens.lifetime.changesMaxAgeSeconds)
}

/** After how long at least a follower tries again what the service was too busy for. */
const BUSY_PAUSE_MS = 500

/** A page, or nothing for some time: then the connection should be kept alive. */
export type Followed = Page | 'silence'

export interface Follower {
  /** Its caller is the one that was identified last. */
  readonly request: PagedRequest
  /** Identifies the caller again: its token may have been revoked, or its rights changed. */
  readonly identifyAgain: () => Promise<void>
  readonly readSpec: ReadSpec
  /** Aborted when nobody follows any more. */
  readonly signal: AbortSignal
  /** How long it may be silent until it is told so. */
  readonly keepAliveMs: number
  /** Whether it waits for its first page while the service is too busy to read it. */
  readonly isPatient: boolean
  /** Waits until a page can be sent; until it is, others on the same connection wait. */
  readonly takeConnection?: () => Promise<Disposable>
}

/**
 * Follows changes from where a request starts, until nobody follows or the service stops. Thousands may
 * follow: between two pages, none keeps more than where it goes on.
 */
export class ChangesFollower implements Disposable {
  readonly #follower: Follower
  readonly #services: FollowServices
  #start: ChangesSpec | undefined
  /** Where it goes on after the last page. */
  #position: Position | undefined
  /** Set while there is nothing more to read. */
  #watch: Watch | undefined
  /** What the last page holds is released with it, and not with the request. */
  #held: DisposableStack | undefined
  #returnedAtMs = -Infinity
  /** When it needs a new token, although nothing has changed. */
  #renewAtMs = 0

  constructor(follower: Follower, start: ChangesSpec, services: FollowServices) {
    this.#follower = follower
    this.#start = start
    this.#services = services
  }

  /** Returns the next page; undefined at the end. */
  async next(): Promise<Followed | undefined> {
    for (;;) {
      this.release()
      while (this.#watch !== undefined) {
        const { keepAliveMs, signal } = this.#follower
        const restMs = this.#renewAtMs - performance.now()
        const waitMs = Math.min(keepAliveMs, restMs)
        const isPublished = waitMs <= 0 || (await this.#watch.published(waitMs, signal))
        if (!isPublished && !this.#hasEnded() && restMs > keepAliveMs) return 'silence'
        this.#stopWatching()
      }
      if (this.#hasEnded()) return undefined
      const held = new DisposableStack()
      this.#held = held
      const connection = await this.#follower.takeConnection?.()
      if (connection !== undefined) held.use(connection)
      if (this.#hasEnded()) return undefined
      const page = await this.#readNext(held)
      const now = performance.now()
      if (isEmpty(page) && now - this.#returnedAtMs < renewalMs(this.#services)) continue
      this.#returnedAtMs = now
      return page
    }
  }

  /** Releases what the last page holds, once it is sent. */
  release(): void {
    this.#held?.[Symbol.dispose]()
    this.#held = undefined
  }

  [Symbol.dispose](): void {
    this.#stopWatching()
    this.release()
  }

  #stopWatching(): void {
    this.#watch?.[Symbol.dispose]()
    this.#watch = undefined
  }

  readonly #hasEnded = () => this.#follower.signal.aborted || this.#services.stopping.aborted

  async #readNext(held: DisposableStack): Promise<Page> {
    const { request, isPatient } = this.#follower
    const isFirst = this.#start !== undefined
    const spec = this.#start ?? (await this.#readSpec())
    this.#start = undefined
    this.#watch = this.#services.followers.watch(watchedTypes(spec))
    const read = () => readPage(request, spec, held, this.#services)
    const { page, since } = await (isFirst && !isPatient ? read() : this.#untilRead(read))
    const { nextPageToken, nextChangesToken } = page
    this.#position = { since, nextPageToken, nextChangesToken }
    if (nextPageToken !== undefined) this.#stopWatching()
    this.#renewAtMs = performance.now() + renewalMs(this.#services)
    return page
  }

  async #readSpec(): Promise<ChangesSpec> {
    const { request, identifyAgain, readSpec } = this.#follower
    await this.#services.admission.takeTurn(request.context.callerId)
    return this.#untilRead(async () => {
      await identifyAgain()
      return readSpecAfter(this.#position ?? {}, readSpec)
    })
  }

  #untilRead<T>(read: () => Promise<T>): Promise<T> {
    return retryWhileBusy(read, this.#hasEnded, this.#follower.signal)
  }
}

/** Reads, again and again while the service is too busy: a follower loses nothing by waiting. */
async function retryWhileBusy<T>(
  read: () => Promise<T>,
  hasEnded: () => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (hasEnded() || !isBusy(error)) throw error
    }
    // Not all at the same time.
    const ms = BUSY_PAUSE_MS * (1 + Math.random())
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof ObjectQueryError && [429, 503].includes(statusOf(error.errorName))
}

function readPage(
  { method, caller, context: whole }: PagedRequest,
  spec: ChangesSpec,
  held: DisposableStack,
  services: ServiceParts,
): Promise<FollowedPage> {
  const context: ServiceContext = {
    callerId: whole.callerId,
    signal: () => whole.signal(),
    defer: (callback) => held.defer(callback),
    noteRead: (...read) => whole.noteRead(...read),
  }
  return readFollowedChanges({ method, caller, context }, spec, services)
}

/** True if nothing has changed. */
export function isEmpty({ count, nextPageToken }: Page): boolean {
  return count === 0 && nextPageToken === undefined
}

/** A page of changes, as far as it says where the next one starts. */
interface Position extends Partial<Pick<Page, 'nextPageToken' | 'nextChangesToken'>> {
  /** The token whose changes the page belongs to. */
  readonly since?: string
}

/** Returns what follows a page of an earlier request. */
export async function readSpecAfter(
  { since: earlier, nextPageToken, nextChangesToken }: Position,
  readSpec: ReadSpec,
): Promise<ChangesSpec> {
  const spec = await readSpec(nextChangesToken ?? earlier)
  const since = nextChangesToken ?? earlier ?? spec.paging.since
  return { ...spec, paging: { ...spec.paging, since, pageToken: nextPageToken ?? null } }
}

/** Returns the types whose versions change what a request follows. */
export function watchedTypes({ parts }: ChangesSpec): readonly string[] {
  return typesOfSet(parts).map(({ rid }) => rid)
}
