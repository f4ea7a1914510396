/**
 * Pages of changes without end, for one follower: what has changed, then what changes next. Between two
 * pages, the follower is identified again, so that it gets nothing that it may no longer see.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ObjectQueryError, statusOf } from '../../contract/errors.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import {
  type FollowedPage,
  readFollowedChanges,
} from '../../service/changes/read-followed-changes.ts'
import type { Page } from '../../service/pages/page.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { typesOfSet } from '../../store/object-store.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import type { Services } from '../services.ts'

/** Returns what a request follows, as its caller sees it now. The token is the one it goes on from. */
export type ReadSpec = (since?: string) => ChangesSpec | Promise<ChangesSpec>

/** How often a silent follower gets a new token, so that the last one never becomes too old. */
const NEW_TOKEN_MS = 600_000

export function renewalMs({ walkTokens }: Services): number {
  return Math.min(NEW_TOKEN_MS, 500 * walkTokens.lifetime.changesMaxAgeSeconds)
}

/** After how long at least a follower tries again what the service was too busy for. */
const BUSY_PAUSE_MS = 500

/** A page, or nothing for some time: then the connection should be kept alive. */
export type Followed = Page | 'silence'

export interface Follower {
  readonly request: FastifyRequest
  readonly readSpec: ReadSpec
  /** Aborted when nobody follows any more. */
  readonly signal: AbortSignal
  /** How long it may be silent until it is told so. */
  readonly keepAliveMs: number
  /** Whether it waits for its first page while the service is too busy to read it. */
  readonly isPatient: boolean
}

/** Follows changes from where a request starts, until nobody follows or the service stops. */
export async function* followChanges(
  { request, readSpec, signal, keepAliveMs, isPatient }: Follower,
  start: ChangesSpec,
  services: Services,
): AsyncGenerator<Followed> {
  const hasEnded = () => signal.aborted || services.stopping.aborted
  const untilRead = <T>(read: () => Promise<T>) => retryWhileBusy(read, hasEnded, signal)
  const renewMs = renewalMs(services)
  let yieldedAtMs = -Infinity
  for (let spec = start; ; ) {
    // What one page holds is released with it, and not with the request.
    using held = new DisposableStack()
    const watch = held.use(services.followers.watch(watchedTypes(spec)))
    const isFirst = spec === start
    const read = () => readPage(request, spec, held, services)
    const { page, since } = await (isFirst && !isPatient ? read() : untilRead(read))
    const isDue = performance.now() - yieldedAtMs >= renewMs
    if (isDue || !isEmpty(page)) {
      yield page
      yieldedAtMs = performance.now()
    }
    if (page.nextPageToken === undefined) {
      for (let restMs = renewMs; restMs > 0; restMs -= keepAliveMs) {
        if (await watch.published(Math.min(keepAliveMs, restMs), signal)) break
        if (hasEnded()) return
        if (restMs > keepAliveMs) yield 'silence'
      }
    }
    if (hasEnded()) return
    await services.admission.takeTurn(request.context.callerId)
    spec = await untilRead(async () => {
      await identifyAgain(request, services)
      return continued(readSpec, { ...spec, paging: { ...spec.paging, since } }, page)
    })
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
  { method, caller, context: whole }: FastifyRequest,
  spec: ChangesSpec,
  held: DisposableStack,
  services: Services,
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

/** Returns what follows a page of an earlier request. */
export async function continued(
  readSpec: ReadSpec,
  { paging }: ChangesSpec,
  { nextChangesToken, nextPageToken }: Page,
): Promise<ChangesSpec> {
  const since = nextChangesToken ?? paging.since
  return {
    ...(await readSpec(since)),
    paging: { ...paging, since, pageToken: nextPageToken ?? null },
  }
}

/** Returns the types whose versions change what a request follows. */
export function watchedTypes({ parts }: ChangesSpec): readonly string[] {
  return typesOfSet(parts).map(({ rid }) => rid)
}
