import { useEffect, useRef } from 'react'

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

/** The switch for keys that are single letters. People who dictate need to turn them off. */
const KEY = 'oqs.letters'

export function areLettersOn(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function switchLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** True if a key is not ours: it belongs to a text that is being written, or letters are off. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !areLettersOn()) return true
  // A dialog lies over the screen: its keys are not for what is behind it.
  return target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null
}

const LAYERS = 'dialog[open], :popover-open'
const FIELDS = 'input, select, textarea'

/**
 * Closes what stands beside the table on Escape, and returns the focus to the table. Layers over the
 * screen come first, and so do fields, where Escape has a meaning of its own.
 */
export function useEscape(close: (() => void) | undefined): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    // Asked before the key reaches a layer, which may have closed itself by it.
    let isCovered = false
    const look = () => {
      isCovered = document.querySelector(LAYERS) !== null
    }
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isCovered) return
      if (event.target instanceof Element && event.target.closest(FIELDS) !== null) return
      if (latest.current === undefined) return
      event.preventDefault()
      latest.current()
      document.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus()
    }
    addEventListener('keydown', look, true)
    addEventListener('keydown', listen)
    return () => {
      removeEventListener('keydown', look, true)
      removeEventListener('keydown', listen)
    }
  }, [])
}
