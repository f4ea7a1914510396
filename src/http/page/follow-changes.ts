/**
 * Pages of changes without end, for one follower: what has changed, then what changes next. Between two
 * pages, the follower is identified again, so that it gets nothing that it may no longer see.
 */
import type { FastifyRequest } from 'fastify'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import { readChanges } from '../../service/changes/read-changes.ts'
import type { Page } from '../../service/pages/page.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { typesOfSet } from '../../store/object-store.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import type { Services } from '../services.ts'

/** Returns what a request follows, as its caller sees it now. The token is the one it goes on from. */
export type ReadSpec = (since?: string) => ChangesSpec | Promise<ChangesSpec>

/** How often a silent follower gets a new token, so that the last one never becomes too old. */
export const NEW_TOKEN_MS = 600_000

/** A page, or nothing for some time: then the connection should be kept alive. */
export type Followed = Page | 'silence'

export interface Follower {
  readonly request: FastifyRequest
  readonly readSpec: ReadSpec
  /** Aborted when nobody follows any more. */
  readonly signal: AbortSignal
  /** How long it may be silent until it is told so. */
  readonly keepAliveMs: number
  /** Runs what waits for changes. */
  readonly wait: (event: () => Promise<boolean>) => Promise<boolean>
}

/** Follows changes from where a request starts, until nobody follows or the service stops. */
export async function* followChanges(
  { request, readSpec, signal, keepAliveMs, wait }: Follower,
  start: ChangesSpec,
  services: Services,
): AsyncGenerator<Followed> {
  const hasEnded = () => signal.aborted || services.stopping.aborted
  let yieldedAtMs = -Infinity
  for (let spec = start; ; ) {
    // What one page holds is released with it, and not with the request.
    using held = new DisposableStack()
    const watch = held.use(services.followers.watch(watchedTypes(spec)))
    const page = await readPage(request, spec, held, services)
    const isDue = performance.now() - yieldedAtMs >= NEW_TOKEN_MS
    if (isDue || !isEmpty(page)) {
      yield page
      yieldedAtMs = performance.now()
    }
    if (page.nextPageToken === undefined) {
      for (let waitedMs = 0; waitedMs < NEW_TOKEN_MS; waitedMs += keepAliveMs) {
        if (await wait(() => watch.published(keepAliveMs, signal))) break
        if (hasEnded()) return
        yield 'silence'
      }
    }
    if (hasEnded()) return
    await identifyAgain(request, services)
    spec = await continued(readSpec, spec, page)
  }
}

function readPage(
  { method, caller, context: whole }: FastifyRequest,
  spec: ChangesSpec,
  held: DisposableStack,
  services: Services,
): Promise<Page> {
  const context: ServiceContext = {
    callerId: whole.callerId,
    signal: () => whole.signal(),
    defer: (callback) => held.defer(callback),
    noteRead: (...read) => whole.noteRead(...read),
  }
  return readChanges({ method, caller, context }, spec, services)
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
