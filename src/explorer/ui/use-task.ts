import { useEffect, useState } from 'react'

export interface Task {
  /** True while the work runs. */
  readonly isBusy: boolean
  /** Why the last work failed. */
  readonly error: Error | undefined
  /** Does work that a person has asked for; a failure becomes the error. */
  readonly run: (work: () => Promise<void>) => Promise<void>
}

/** One piece of work at a time, such as a request that a button sends. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (reason) {
      setError(reason as Error)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run }
}

/** The current time; renders again every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
