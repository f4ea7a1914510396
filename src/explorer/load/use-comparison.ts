/** Compares a file with the objects of a type before it is loaded. */
import { useEffect, useRef, useState } from 'react'
import type { Comparison, LoadSpec } from './messages.ts'
import { startWorker } from './start-worker.ts'

export type Comparing =
  | { readonly kind: 'running'; readonly rows: number }
  | { readonly kind: 'done'; readonly comparison: Comparison }
  /** The user did not wait for it. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly reason: string }

const START: Comparing = { kind: 'running', rows: 0 }

/** Starts again with every other spec; does nothing without one. */
export function useComparison(
  spec: LoadSpec | undefined,
  readToken: () => Promise<string>,
): { readonly comparing: Comparing; readonly skip: () => void } {
  const [state, setState] = useState<{ readonly of?: LoadSpec; readonly comparing: Comparing }>({
    comparing: START,
  })
  const token = useRef(readToken)
  token.current = readToken
  const isSkipped = state.of === spec && state.comparing.kind === 'skipped'
  useEffect(() => {
    if (spec === undefined || isSkipped) return
    const set = (comparing: Comparing) => setState({ of: spec, comparing })
    const worker = startWorker(
      () => token.current(),
      (report) => {
        if (report.kind === 'comparing') set({ kind: 'running', rows: report.rows })
        else if (report.kind === 'compared') set({ kind: 'done', comparison: report.comparison })
        else if (report.kind === 'failed') set({ kind: 'failed', reason: report.reason })
      },
    )
    worker.post({ kind: 'compare', spec })
    return () => worker.terminate()
  }, [spec, isSkipped])
  return {
    comparing: state.of === spec ? state.comparing : START,
    skip: () => setState({ ...(spec && { of: spec }), comparing: { kind: 'skipped' } }),
  }
}
