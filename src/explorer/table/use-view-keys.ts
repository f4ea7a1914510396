import { useEffect } from 'react'
import { isTyping } from '../shell/help.tsx'

/** What single letters do on the screen of a type. */
export type ViewKeys = Readonly<Record<string, () => void>>

export function useViewKeys(keys: ViewKeys): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const act = isTyping(event) ? undefined : keys[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys])
}
