/**
 * Traces of requests. Names and attributes come from the service: routes as patterns, plans,
 * numbers. They never contain a path, a key, a value or a parameter of a statement.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorName } from '../../contract/error-catalogue.ts'
import type { ReadReport, StoreWork } from '../../store/port/request-context.ts'

export interface Tracing {
  /** Starts the trace of a request, or continues that of its client; undefined if not sampled. */
  start(headers: IncomingHttpHeaders): RequestTrace | undefined
}

/** The spans of one request. Times are those of `performance.now()`. */
export interface RequestTrace {
  /** Adds a page that has just been read: its plan, and in it its statements. */
  addRead(report: ReadReport): void
  /** Adds work of the store that has just ended. */
  addStoreWork(work: Exclude<StoreWork, 'read'>, startedAtMs: number): void
  end(request: TracedRequest): void
}

/** What a trace says about a request that has ended. */
export interface TracedRequest {
  readonly method: string
  readonly route: string
  readonly operation: string | undefined
  /** Undefined if the connection was closed before there was a response. */
  readonly status: number | undefined
  readonly errorName: ErrorName | undefined
  readonly objects: number | undefined
}
