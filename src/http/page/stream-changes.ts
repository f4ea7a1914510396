/**
 * Changes as an endless stream of server-sent events: the data of an event is a page of changes. The
 * id of the last page of a range is its changes token, which a client that connects again sends as
 * `Last-Event-ID`. A client that reads slowly gets fewer, larger ranges; nothing is buffered for it.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangesSpec } from '../../service/changes/changes-walk.ts'
import type { Watch } from '../../service/changes/followers.ts'
import { readChanges } from '../../service/changes/read-changes.ts'
import type { Page } from '../../service/pages/page.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { requireVerified } from '../../store/port/request-context.ts'
import { identifyAgain } from '../request/require-authentication.ts'
import { lateErrorBody } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { continued, isEmpty, type ReadSpec, watchedTypes } from './followed-changes.ts'

/** Shows proxies and clients that the connection lives, and finds out whether it does. */
const KEEP_ALIVE_MS = 15_000
/** How often a silent stream gets a new token, so that the last one never becomes too old. */
const NEW_TOKEN_MS = 600_000

export function wantsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Streams changes until the client disconnects, the service stops or the caller loses its rights. */
export async function streamChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  readSpec: ReadSpec,
): Promise<FastifyReply> {
  const stream = new ChangesStream(request, services, readSpec)
  // Errors of the first page still have a status.
  const first = await stream.read(withLastEventId(await readSpec(), request))
  requireVerified(request.context)
  const { raw } = reply.hijack()
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  try {
    await stream.send(raw, first)
  } catch (error) {
    // The status is already sent.
    raw.write(`event: error\ndata: ${lateErrorBody(error, request, services)}\n\n`)
  }
  raw.end()
  return reply
}

function withLastEventId(spec: ChangesSpec, { headers }: FastifyRequest): ChangesSpec {
  const since = headers['last-event-id']
  return typeof since === 'string' ? { ...spec, paging: { ...spec.paging, since } } : spec
}

/** A page, and what is held for it. */
interface ReadPage extends Disposable {
  readonly spec: ChangesSpec
  readonly page: Page
  /** Since before the page was read. */
  readonly watch: Watch
}

class ChangesStream {
  readonly #request: FastifyRequest
  readonly #services: Services
  readonly #readSpec: ReadSpec

  constructor(request: FastifyRequest, services: Services, readSpec: ReadSpec) {
    this.#request = request
    this.#services = services
    this.#readSpec = readSpec
  }

  /** Reads a page. What it holds is released with it, and not with the stream. */
  async read(spec: ChangesSpec): Promise<ReadPage> {
    const { method, caller, context: stream } = this.#request
    using held = new DisposableStack()
    const context: ServiceContext = {
      callerId: stream.callerId,
      signal: () => stream.signal(),
      defer: (callback) => held.defer(callback),
      noteRead: (...read) => stream.noteRead(...read),
    }
    const watch = held.use(this.#services.followers.watch(watchedTypes(spec)))
    const page = await readChanges({ method, caller, context }, spec, this.#services)
    const kept = held.move()
    return { spec, page, watch, [Symbol.dispose]: () => kept.dispose() }
  }

  /** Sends a page and everything that follows. */
  async send(raw: ServerResponse, first: ReadPage): Promise<void> {
    let sentAtMs = -Infinity
    for (let next = first; ; ) {
      using read = next
      const { page, spec, watch } = read
      const isSilent = isEmpty(page)
      if (!isSilent || sentAtMs < performance.now() - NEW_TOKEN_MS) {
        await write(raw, isSilent ? tokenEvent(page) : pageEvent(page))
        sentAtMs = performance.now()
      }
      if (page.nextPageToken === undefined) await this.#wait(raw, watch)
      if (raw.destroyed || this.#services.stopping.aborted) return
      await identifyAgain(this.#request, this.#services)
      const { paging } = continued(spec, page)
      next = await this.read({ ...(await this.#readSpec()), paging })
    }
  }

  /** Waits for changes, or until the stream should end or send a new token. */
  #wait(raw: ServerResponse, watch: Watch): Promise<void> {
    const { context } = this.#request
    const { admission, stopping } = this.#services
    return admission.whileWaiting(context, async () => {
      for (let waitedMs = 0; waitedMs < NEW_TOKEN_MS; waitedMs += KEEP_ALIVE_MS) {
        if (await watch.published(KEEP_ALIVE_MS, context.signal())) return
        if (stopping.aborted || raw.destroyed) return
        await write(raw, ': waiting\n\n')
      }
    })
  }
}

/** Waits until the client has received enough to be sent more. */
async function write(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || raw.write(text)) return
  await Promise.race([once(raw, 'drain'), once(raw, 'close')])
}

function pageEvent({ records, nextChangesToken }: Page): string {
  const data = `data: {"data":[${Buffer.from(records).toString('utf8')}]}\n\n`
  return nextChangesToken === undefined ? data : `id: ${nextChangesToken}\n${data}`
}

/** An event without data: clients only remember its id. */
function tokenEvent({ nextChangesToken }: Page): string {
  return `id: ${nextChangesToken}\n\n`
}
