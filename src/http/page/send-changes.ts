import type { FastifyReply, FastifyRequest } from 'fastify'
import { readChanges } from '../../service/changes/read-changes.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { sendPage } from '../response/send-data.ts'
import type { Services } from '../services.ts'
import { continued, isEmpty, type ReadSpec, watchedTypes } from './follow-changes.ts'
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
  for (;;) {
    using watch = services.followers.watch(watchedTypes(next))
    const page = await readChanges(request, next, services)
    const restMs = until - performance.now()
    if (!isEmpty(page) || restMs <= 0) return sendPage(reply, page)
    const wait = () => watch.published(restMs, context.signal())
    const isPublished = await services.admission.whileWaiting(context, wait)
    context.throwIfEnded()
    if (!isPublished) return sendPage(reply, page)
    // Meanwhile the token may have been revoked, or its rights changed.
    await identifyAgain(request, services)
    next = await continued(readSpec, next, page)
  }
}
