/** The requests of a page. A request that waits for changes says nothing about the rest of the page. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const REST_MS = 500
const LOOK_MS = 20

export interface PageRequests {
  /** Returns the requests for changes that are still waiting. */
  readonly waiting: () => number
  /** Waits until the page has asked for nothing else for a while. */
  readonly settled: () => Promise<void>
}

/** Watches a page from now on; call it before the page is opened. */
export function watchRequests(page: Page): PageRequests {
  const pending = new Set<Request>()
  const isWaiting = (request: Request) => request.url().endsWith('/objectSets/changes')
  let busyAt = performance.now()
  const note = (request: Request) => {
    if (!isWaiting(request)) busyAt = performance.now()
  }
  page.on('request', (request) => {
    pending.add(request)
    note(request)
  })
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => {
      pending.delete(request)
      note(request)
    })
  }
  const waiting = () => [...pending].filter(isWaiting).length
  return {
    waiting,
    settled: async () => {
      while (pending.size > waiting() || performance.now() - busyAt < REST_MS) await sleep(LOOK_MS)
    },
  }
}
