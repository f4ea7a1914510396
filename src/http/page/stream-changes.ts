/**
 * Changes as an endless stream of server-sent events: the data of an event is a page of changes. The
 * id of the last page of a range is its changes token, which a client that connects again sends as
 * `Last-Event-ID`. A client that reads slowly gets fewer, larger ranges; nothing is buffered for it.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { STALLED_CONNECTION_SECONDS } from '../../contract/limits.ts'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import { requireVerified } from '../../store/port/request-context.ts'
import { lateErrorBody } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { type Followed, followChanges, isEmpty, type ReadSpec } from './follow-changes.ts'

/** Shows proxies and clients that the connection lives, and finds out whether it does. */
const KEEP_ALIVE_MS = 15_000
/** How long a client has to receive the rest when the service stops. */
const CLOSING_MS = 1000

/** Returns whether a client prefers a stream to JSON. */
export function wantsStream({ headers, method }: FastifyRequest): boolean {
  const accepted = (headers.accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return [type.toLowerCase(), Number(weight?.slice(2) ?? 1)] as const
  })
  const weights = new Map(accepted)
  const weight = weights.get('text/event-stream') ?? 0
  return method !== 'HEAD' && weight > 0 && weight >= (weights.get('application/json') ?? 0)
}

/** Streams changes until the client disconnects, the service stops or the caller loses its rights. */
export async function streamChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  readSpec: ReadSpec,
): Promise<FastifyReply> {
  const start = await startOf(request, readSpec)
  const signal = request.context.signal()
  const follower = { request, readSpec, signal, keepAliveMs: KEEP_ALIVE_MS, isPatient: false }
  const pages = followChanges(follower, start, services)
  // Errors of the first page still have a status.
  const first = await pages.next()
  requireVerified(request.context)
  services.admission.startFollowing(request.context)
  const { raw } = reply.hijack()
  const stop = () => setTimeout(() => raw.destroy(), CLOSING_MS).unref()
  services.stopping.addEventListener('abort', stop)
  raw.once('close', () => services.stopping.removeEventListener('abort', stop))
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  try {
    if (!first.done) await write(raw, eventOf(first.value))
    for await (const page of pages) await write(raw, eventOf(page))
  } catch (error) {
    // The status is already sent. A client connects again when the service has stopped.
    const body = services.stopping.aborted ? undefined : lateErrorBody(error, request, services)
    if (body !== undefined) raw.write(`event: error\ndata: ${body}\n\n`)
  }
  raw.end()
  return reply
}

async function startOf({ headers }: FastifyRequest, readSpec: ReadSpec): Promise<ChangesSpec> {
  const since = headers['last-event-id']
  if (typeof since !== 'string') return readSpec()
  const spec = await readSpec(since)
  return { ...spec, paging: { ...spec.paging, since } }
}

function eventOf(page: Followed): string {
  if (page === 'silence') return ': waiting\n\n'
  const { records, nextChangesToken } = page
  const id = nextChangesToken === undefined ? '' : `id: ${nextChangesToken}\n`
  // Of an event without data, clients only remember the id.
  if (isEmpty(page)) return `${id}\n`
  return `${id}data: {"data":[${Buffer.from(records).toString('utf8')}]}\n\n`
}

/** Waits until the client has received enough to be sent more. One that no longer reads is disconnected. */
async function write(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || raw.write(text)) return
  const { promise: isReady, resolve } = Promise.withResolvers<void>()
  const stalled = setTimeout(() => raw.destroy(), 1000 * STALLED_CONNECTION_SECONDS)
  raw.once('drain', resolve).once('close', resolve)
  await isReady
  clearTimeout(stalled)
  raw.off('drain', resolve).off('close', resolve)
}
