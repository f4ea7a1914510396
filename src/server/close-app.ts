/** Shuts the HTTP server down without cutting off requests that are in progress or on their way. */
import { once } from 'node:events'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../http/app.ts'

/** How often a stopping service closes connections that have become idle. */
const IDLE_CHECK_MS = 50

/**
 * Stops accepting connections, then waits for the requests in progress. Idle connections stay open
 * for `idleGraceMs`: a request may already be on its way, and its response asks the client to close.
 */
export async function closeApp(app: App, idleGraceMs: number): Promise<void> {
  if (app.server.listening && idleGraceMs > 0) await drainConnections(app, idleGraceMs)
  // A keep-alive connection that was busy at first becomes idle later.
  const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await app.close()
  } finally {
    clearInterval(timer)
  }
}

async function drainConnections({ server }: App, idleGraceMs: number): Promise<void> {
  const abort = new AbortController()
  const { signal } = abort
  const closed = once(server, 'close', { signal })
  // The `close` of an HTTP server also cuts idle connections; the one of a TCP server does not.
  NetServer.prototype.close.call(server)
  await Promise.race([closed, sleep(idleGraceMs, undefined, { signal })])
  abort.abort()
  await closed.catch(() => {})
}
