import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  isEmpty,
  type ReadSpec,
  readSpecAfter,
  renewalMs,
  watchedTypes,
} from '../../service/changes/follow-changes.ts'
import type { Watch } from '../../service/changes/followers.ts'
import { readChanges } from '../../service/changes/read-changes.ts'
import { readFollowedChanges } from '../../service/changes/read-followed-changes.ts'
import type { Page } from '../../service/pages/page.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { sendPage } from '../response/send-data.ts'
import type { Services } from '../services.ts'
import { streamChanges, wantsStream } from './stream-changes.ts'

/**
 * Sends the changes of a request. If there are none, waits for some as long as the request says.
 * Thousands may wait: meanwhile, none keeps what it can read again.
 */
export async function sendChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  readSpec: ReadSpec,
): Promise<FastifyReply> {
  if (wantsStream(request)) return streamChanges(request, reply, services, readSpec)
  const startedAtMs = performance.now()
  let waited: Page | undefined
  for (;;) {
    const { page, wait, watch } = await readAnswer(request, services, readSpec, waited)
    try {
      // Later pages need the token of the client. It asks again, with one that has these changes ahead.
      if (waited !== undefined && page.nextPageToken !== undefined) return sendPage(reply, waited)
      const restMs = startedAtMs + 1000 * wait - performance.now()
      if (!isEmpty(page) || restMs <= 0) return sendPage(reply, page)
      services.admission.startFollowing(request.context)
      const renewMs = renewalMs(services)
      const signal = request.context.signal()
      const isPublished = await watch.published(Math.min(restMs, renewMs), signal)
      request.context.throwIfEnded()
      const isOver = restMs <= renewMs || services.stopping.aborted
      if (!isPublished && isOver) return sendPage(reply, page)
    } finally {
      watch[Symbol.dispose]()
    }
    // Meanwhile the token may have been revoked, or its rights changed.
    await identifyAgain(request, services)
    waited = page
  }
}

interface Answer {
  readonly page: Page
  readonly wait: number
  /** Wakes when a type of the page changes. */
  readonly watch: Watch
}

/** Reads the changes of a request, or those after a page for which it has waited. */
async function readAnswer(
  request: FastifyRequest,
  services: Services,
  readSpec: ReadSpec,
  waited: Page | undefined,
): Promise<Answer> {
  const spec = await (waited === undefined ? readSpec() : readSpecAfter(waited, readSpec))
  const wait = spec.paging.wait ?? 0
  const watch = services.followers.watch(watchedTypes(spec))
  try {
    if (waited === undefined)
      return { page: await readChanges(request, spec, services), wait, watch }
    const { page } = await readFollowedChanges(request, spec, services)
    return { page, wait, watch }
  } catch (error) {
    watch[Symbol.dispose]()
    throw error
  }
}
