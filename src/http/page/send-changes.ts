import type { FastifyReply, FastifyRequest } from 'fastify'
import { readChanges } from '../../service/changes/read-changes.ts'
import { readFollowedChanges } from '../../service/changes/read-followed-changes.ts'
import type { Page } from '../../service/pages/page.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { sendPage } from '../response/send-data.ts'
import type { Services } from '../services.ts'
import { continued, isEmpty, type ReadSpec, renewalMs, watchedTypes } from './follow-changes.ts'
import { streamChanges, wantsStream } from './stream-changes.ts'

/** Sends the changes of a request. If there are none, waits for some as long as the request says. */
export async function sendChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  readSpec: ReadSpec,
): Promise<FastifyReply> {
  if (wantsStream(request)) return streamChanges(request, reply, services, readSpec)
  const { context } = request
  const spec = await readSpec()
  const until = performance.now() + 1000 * (spec.paging.wait ?? 0)
  let next = spec
  let waited: Page | undefined
  for (;;) {
    using watch = services.followers.watch(watchedTypes(next))
    const page = await (waited === undefined
      ? readChanges(request, next, services)
      : readFollowedChanges(request, next, services).then((followed) => followed.page))
    // Later pages need the token of the client. It asks again, with one that has these changes ahead.
    if (waited !== undefined && page.nextPageToken !== undefined) return sendPage(reply, waited)
    const restMs = until - performance.now()
    if (!isEmpty(page) || restMs <= 0) return sendPage(reply, page)
    services.admission.startFollowing(context)
    const renewMs = renewalMs(services)
    const isPublished = await watch.published(Math.min(restMs, renewMs), context.signal())
    context.throwIfEnded()
    const isOver = restMs <= renewMs || services.stopping.aborted
    if (!isPublished && isOver) return sendPage(reply, page)
    // Meanwhile the token may have been revoked, or its rights changed.
    await identifyAgain(request, services)
    next = await continued(readSpec, next, page)
    waited = page
  }
}
