/**
 * Changes as an endless stream of server-sent events: the data of an event is a page of changes. The
 * id of the last page of a range is its changes token, which a client that connects again sends as
 * `Last-Event-ID`. A client that reads slowly gets fewer, larger ranges; nothing is buffered for it.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import {
  ChangesFollower,
  type Followed,
  isEmpty,
  type ReadSpec,
} from '../../service/changes/follow-changes.ts'
import { requireVerified } from '../../store/port/request-context.ts'
import { identifyAgain } from '../request/request-hooks.ts'
import { lateErrorBody } from '../response/error-response.ts'
import { slicesOf, untilSent } from '../response/push.ts'
import type { Services } from '../services.ts'

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
  const signal = request.context.signal()
  const follower = {
    request,
    identifyAgain: () => identifyAgain(request, services),
    readSpec,
    signal,
    keepAliveMs: KEEP_ALIVE_MS,
    isPatient: false,
  }
  using pages = new ChangesFollower(follower, await startOf(request, readSpec), services)
  const raw = await startStream(request, reply, pages, services)
  try {
    while (await sendNext(raw, pages, request, services));
  } catch (error) {
    // The status is already sent. A client connects again when the service has stopped.
    const body = services.stopping.aborted ? undefined : lateErrorBody(error, request, services)
    if (body !== undefined) raw.write(`event: error\ndata: ${body}\n\n`)
  }
  raw.end()
  return reply
}

/** Sends the head and the first page, whose errors still have a status. */
async function startStream(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: ChangesFollower,
  services: Services,
): Promise<ServerResponse> {
  const { admission, stopping } = services
  const first = await pages.next()
  requireVerified(request.context)
  admission.startFollowing(request.context)
  const { raw } = reply.hijack()
  const stop = () => setTimeout(() => raw.destroy(), CLOSING_MS).unref()
  stopping.addEventListener('abort', stop)
  raw.once('close', () => stopping.removeEventListener('abort', stop))
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  if (first !== undefined) await write(raw, eventOf(first), request, services)
  return raw
}

/** Sends the next page; false if there is none. */
async function sendNext(
  raw: ServerResponse,
  pages: ChangesFollower,
  request: FastifyRequest,
  services: Services,
): Promise<boolean> {
  const page = await pages.next()
  if (page !== undefined) await write(raw, eventOf(page), request, services)
  return page !== undefined
}

async function startOf({ headers }: FastifyRequest, readSpec: ReadSpec): Promise<ChangesSpec> {
  const since = headers['last-event-id']
  if (typeof since !== 'string') return readSpec()
  const spec = await readSpec(since)
  return { ...spec, paging: { ...spec.paging, since } }
}

/** Returns the pieces of an event. The records are not copied: other streams send the same ones. */
function eventOf(page: Followed): readonly (string | Uint8Array)[] {
  if (page === 'silence') return [': waiting\n\n']
  const { records, nextChangesToken } = page
  const id = nextChangesToken === undefined ? '' : `id: ${nextChangesToken}\n`
  // Of an event without data, clients only remember the id.
  if (isEmpty(page)) return [`${id}\n`]
  return [`${id}data: {"data":[`, ...slicesOf(records), ']}\n\n']
}

/**
 * Writes an event. Waits until the connection has taken it, so that nothing more is read for a client
 * that does not read. One that has stopped reading is disconnected.
 */
async function write(
  raw: ServerResponse,
  pieces: readonly (string | Uint8Array)[],
  { context }: FastifyRequest,
  { admission, limits }: Services,
): Promise<void> {
  for (const piece of pieces) {
    await admission.takeTurn(context.callerId)
    if (raw.destroyed || raw.write(piece)) continue
    const { promise: isReady, resolve } = Promise.withResolvers<void>()
    raw.once('drain', resolve).once('close', resolve)
    await untilSent(isReady, limits.stalledStreamMs, () => raw.destroy())
    raw.off('drain', resolve).off('close', resolve)
  }
}
