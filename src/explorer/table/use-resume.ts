import { useEffect, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { waitMs } from '../api/wait-ms.ts'
import type { ViewWalk } from './use-walk.ts'

/** True for errors that pass: a connection that failed, or a service that is busy or starting. */
export function isPassing(error: ApiError | undefined): boolean {
  return error !== undefined && [0, 429, 502, 503, 504].includes(error.status)
}

/** Resumes a walk by itself when the service cannot be reached; returns when the next attempt is. */
export function useResume({ walk, state, isStale }: ViewWalk): number | undefined {
  const [attempt, setAttempt] = useState(0)
  const [dueAtMs, setDueAtMs] = useState<number>()
  const { error, rowCount } = state
  // A page that arrived ends the outage; the rows of the last walk, shown meanwhile, do not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another walk may have as many rows
  useEffect(() => {
    if (rowCount > 0 && !isStale) setAttempt(0)
  }, [rowCount, walk, isStale])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each error starts one wait
  useEffect(() => {
    if (!isPassing(error)) {
      setDueAtMs(undefined)
      return
    }
    const ms = waitMs(attempt, error?.retryAfterSeconds)
    setDueAtMs(Date.now() + ms)
    const timer = setTimeout(() => {
      setAttempt(attempt + 1)
      void walk.loadNext()
    }, ms)
    return () => clearTimeout(timer)
  }, [error, walk])
  return dueAtMs
}
