import { useEffect, useState } from 'react'
import { isRetryable } from '../../client/retry.ts'
import { waitMs } from '../api/wait-ms.ts'
import type { ViewWalk } from './use-walk.ts'

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
    if (!isRetryable(error)) {
      setDueAtMs(undefined)
      return
    }
    const ms = waitMs(attempt, error.retryAfterMs)
    setDueAtMs(Date.now() + ms)
    const timer = setTimeout(() => {
      setAttempt(attempt + 1)
      void walk.loadNext()
    }, ms)
    return () => clearTimeout(timer)
  }, [error, walk])
  return dueAtMs
}
