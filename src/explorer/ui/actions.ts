/** The actions of the current screen, for the command palette. */
import { useEffect, useRef } from 'react'

export interface Action {
  readonly name: string
  readonly run: () => void
}

/** What the parts of the screen offer now. */
const parts = new Set<{ readonly current: readonly Action[] }>()

/** Offers actions for as long as the component is on the screen. */
export function useActions(actions: readonly Action[]): void {
  const part = useRef(actions)
  part.current = actions
  useEffect(() => {
    parts.add(part)
    return () => {
      parts.delete(part)
    }
  }, [])
}

/** Reads the actions, when the palette opens. */
export function readActions(): readonly Action[] {
  return [...parts].flatMap(({ current }) => current)
}
