/** The actions of the current screen, for the command palette. */
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'

export interface Action {
  readonly name: string
  readonly run: () => void
}

/** What the parts of the screen offer now. */
type Parts = Set<RefObject<readonly Action[]>>

const ActionsContext = createContext<Parts | undefined>(undefined)

export function ActionsProvider({ children }: { readonly children: ReactNode }) {
  const [parts] = useState<Parts>(() => new Set())
  return <ActionsContext value={parts}>{children}</ActionsContext>
}

/** Offers actions for as long as the component is on the screen. */
export function useActions(actions: readonly Action[]): void {
  const parts = useContext(ActionsContext)
  const part = useRef(actions)
  part.current = actions
  useEffect(() => {
    parts?.add(part)
    return () => {
      parts?.delete(part)
    }
  }, [parts])
}

/** Returns a function that reads the actions when the palette opens. */
export function useReadActions(): () => readonly Action[] {
  const parts = useContext(ActionsContext)
  return () => [...(parts ?? [])].flatMap(({ current }) => current)
}
