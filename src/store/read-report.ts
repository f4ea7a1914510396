/** How a page was read, for metrics and traces. */

import type { Reclaimed } from './port/pages.ts'
import type { PlanKind, ReadReport, RequestContext } from './port/request-context.ts'

/** Sends the report of a page to the request that it was read for. */
export function reported<Page>(context: RequestContext, page: Page): Page {
  const { report } = page as { readonly report?: ReadReport }
  if (report !== undefined) context.onRead?.(report)
  return page
}

/** Measures one read of a page. */
export class ReadTimer {
  readonly #startedAtMs = performance.now()
  #plannedAtMs = this.#startedAtMs

  /** Ends the time that planning takes. */
  planned(): void {
    this.#plannedAtMs = performance.now()
  }

  report(plan: PlanKind): ReadReport {
    const planMs = this.#plannedAtMs - this.#startedAtMs
    return { plan, planMs, sqlMs: performance.now() - this.#plannedAtMs }
  }
}

/** Adds the report of a page that is complete. */
export function withReport<Page extends object | Reclaimed>(
  page: Page,
  timer: ReadTimer,
  plan: PlanKind,
): Page {
  return page === 'reclaimed' ? page : { ...(page as object & Page), report: timer.report(plan) }
}

/** The report of a page that was found in memory. */
export const FROM_CACHE: ReadReport = { plan: 'pageCache', planMs: 0, sqlMs: 0 }
