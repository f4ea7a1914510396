import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNote } from './error-note.tsx'

/** Takes the place of a view that failed while it was drawn; the rest of the page stays. */
export function ViewError({ error, reset }: ErrorComponentProps) {
  const reason = error instanceof Error ? error.message : String(error)
  const shown = new Error(`This view could not be shown: ${reason}`, { cause: error })
  return <ErrorNote error={shown} onRetry={reset} />
}
