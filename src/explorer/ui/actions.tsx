/** The actions of the current screen, for the command palette. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'

export interface Action {
  readonly name: string
  readonly run: () => void
}

interface Registry {
  /** Adds the actions of a part of the screen; returns a function that removes them. */
  readonly add: (current: () => readonly Action[]) => () => void
  readonly read: () => readonly Action[]
}

const ActionsContext = createContext<Registry | undefined>(undefined)

export function ActionsProvider({ children }: { readonly children: ReactNode }) {
  const registry = useMemo<Registry>(() => {
    const parts = new Set<() => readonly Action[]>()
    return {
      add: (current) => {
        parts.add(current)
        return () => parts.delete(current)
      },
      read: () => [...parts].flatMap((current) => current()),
    }
  }, [])
  return <ActionsContext value={registry}>{children}</ActionsContext>
}

/** Offers actions for as long as the component is on the screen. */
export function useActions(actions: readonly Action[]): void {
  const registry = useRegistry()
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => registry.add(() => latest.current), [registry])
}

/** Returns a function that reads the actions when the palette opens. */
export function useReadActions(): () => readonly Action[] {
  return useRegistry().read
}

function useRegistry(): Registry {
  const registry = useContext(ActionsContext)
  if (registry === undefined) throw new Error('There are no actions around this component.')
  return registry
}
