/** What components share: work in progress, the time, and the events of the whole page. */
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

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

/** Returns the size of an element in pixels, and again when it changes. */
export function useSize() {
  const element = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<readonly [width: number, height: number]>([0, 0])
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const measure = () => setSize([current.clientWidth, current.clientHeight])
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, size] as const
}

export function useWidth() {
  const [element, [width]] = useSize()
  return [element, width] as const
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

const NOTICE_MS = 8000

/** Returns a text that says what was done, and a function that shows one for some seconds. */
export function useNotice(): readonly [string, (text?: string) => void] {
  const [notice, setNotice] = useState('')
  useEffect(() => {
    if (notice === '') return
    const timer = setTimeout(() => setNotice(''), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [notice])
  return [notice, (text = '') => setNotice(text)]
}

const REST_MS = 120

/** Returns a value once it has stopped changing: requests follow a rest, not every key or frame. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), REST_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Listens to an event of the window for as long as the component is on the screen. */
export function useListener<Type extends Event>(
  name: string,
  listen: (event: Type) => void,
  isCapturing = false,
): void {
  const call = useEffectEvent((event: Event) => listen(event as Type))
  useEffect(() => {
    const listener = (event: Event) => call(event)
    addEventListener(name, listener, isCapturing)
    return () => removeEventListener(name, listener, isCapturing)
  }, [name, isCapturing])
}

/** What keys do. */
type Keys = Readonly<Record<string, () => void>>

/** Listens to single letters, and to others held with Ctrl or ⌘. */
export function useKeys(keys: Keys, held: Keys = {}): void {
  useListener('keydown', (event: KeyboardEvent) => {
    const isHeld = event.ctrlKey || event.metaKey
    const act = isHeld ? held[event.key.toLowerCase()] : isOurs(event) && keys[event.key]
    if (!act || event.altKey) return
    event.preventDefault()
    act()
  })
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

const FIELDS = 'input, select, textarea'

/** False if a letter belongs to a text that is being written, or letters are off. */
function isOurs(event: KeyboardEvent): boolean {
  return areLettersOn() && !isTaken(event)
}

/** True if a key belongs to a text that is being written, or to a dialog over the screen. */
export function isTaken({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest(`${FIELDS}, dialog`) !== null
}

/**
 * Closes what stands beside the table on Escape, and returns the focus to the table. Layers over the
 * screen come first, and so do fields, where Escape has a meaning of its own.
 */
export function useEscape(close: (() => void) | undefined): void {
  const isCovered = useRef(false)
  // Asked before the key reaches a layer, which may have closed itself by it.
  const look = () => {
    isCovered.current = document.querySelector('dialog[open], :popover-open') !== null
  }
  useListener('keydown', look, true)
  useListener('keydown', (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isCovered.current) return
    if (event.target instanceof Element && event.target.closest(FIELDS) !== null) return
    if (close === undefined) return
    event.preventDefault()
    close()
    document.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus()
  })
}
