import { useEffect } from 'react'
import { isTyping } from './letters.ts'

/** The keys of the screen of a type. */
export type ViewKeys = Readonly<Record<string, () => void>>

/** Listens to single letters, and to others held with Ctrl or ⌘. */
export function useViewKeys(keys: ViewKeys, held: ViewKeys): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isHeld = event.ctrlKey || event.metaKey
      const act = isHeld
        ? held[event.key.toLowerCase()]
        : isTyping(event)
          ? undefined
          : keys[event.key]
      if (act === undefined || event.altKey) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys, held])
}
