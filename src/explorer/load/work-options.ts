import { Connection } from '../../client/connection.ts'
import { Administration } from '../../client/endpoints/administration.ts'
import { ObjectSets } from '../../client/endpoints/object-sets.ts'
import { Revision1 } from '../../client/endpoints/revision-1.ts'
import type { LoadSpec, Report } from './messages.ts'

/** What the worker gives to each of its tasks. */
export interface WorkOptions {
  readonly readToken: () => Promise<string>
  /** Ends the task early. */
  readonly signal: AbortSignal
  readonly report: (message: Report) => void
}

const REPORT_EVERY_MS = 100

/** Returns a function that tells whether it is time for the next report of progress. */
export function reportPace(): () => boolean {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < REPORT_EVERY_MS) return false
    last = now
    return true
  }
}

/** Opens the endpoints. After a stop, requests in progress finish, so that their outcome is known. */
export function openEndpoints({ baseUrl }: LoadSpec, { readToken, signal }: WorkOptions) {
  const connection = new Connection({ baseUrl, token: readToken, retrySignal: signal })
  return {
    administration: new Administration(connection),
    revision1: new Revision1(connection),
    objectSets: new ObjectSets(connection),
  }
}

export type LoadingEndpoints = ReturnType<typeof openEndpoints>
