import { useEffect, useRef } from 'react'

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
