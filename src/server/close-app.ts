import { once } from 'node:events'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../http/app.ts'

/** How often a stopping service looks for connections that have nothing under way any more. */
const IDLE_CHECK_MS = 50

/**
 * Stops accepting, then waits for the requests that are under way. Connections without one are
 * kept for a moment: a request may be on its way on them, and its answer tells the client to go.
 */
export async function closeApp(app: App, idleGraceMs: number): Promise<void> {
  if (app.server.listening && idleGraceMs > 0) await partFromClients(app, idleGraceMs)
  // A connection whose request was under way at first is idle later, and its client may keep it.
  const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS)
  try {
    await app.close()
  } finally {
    clearInterval(timer)
  }
}

async function partFromClients({ server }: App, idleGraceMs: number): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const closed = once(server, 'close', { signal })
  // What an HTTP server does beyond this is to cut the connections that seem idle.
  NetServer.prototype.close.call(server)
  await Promise.race([closed, sleep(idleGraceMs, undefined, { signal })])
  over.abort()
  await closed.catch(() => {})
}
