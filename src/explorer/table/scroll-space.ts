/**
 * The positions of rows in a scrolled element. Browsers cap the height of an element, so that from about
 * 400,000 rows on a pixel of scrolling stands for more than a pixel of rows.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export const ROW_HEIGHT = 32
/** Below the caps of all browsers; 400,000 rows. */
export const MAX_HEIGHT = 12_800_000
const OVERSCAN = 8

export interface ScrollSpace {
  readonly rowCount: number
  /** The visible height for rows, in pixels. */
  readonly viewport: number
}

/** The rows to render. */
export interface RowWindow {
  readonly first: number
  /** Exclusive. */
  readonly end: number
  /** Added to the natural top of each row; 0 unless positions are compressed. */
  readonly shift: number
}

export function heightOf(rowCount: number): number {
  return Math.min(rowCount * ROW_HEIGHT, MAX_HEIGHT)
}

/** Pixels of rows for each pixel of scrolling. */
function ratioOf({ rowCount, viewport }: ScrollSpace): number {
  const natural = rowCount * ROW_HEIGHT
  if (natural <= MAX_HEIGHT) return 1
  return (natural - viewport) / (MAX_HEIGHT - viewport)
}

export function windowAt(scrollTop: number, space: ScrollSpace): RowWindow {
  const top = Math.max(0, scrollTop) * ratioOf(space)
  return {
    first: Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN),
    end: Math.min(space.rowCount, Math.ceil((top + space.viewport) / ROW_HEIGHT) + OVERSCAN),
    shift: Math.max(0, scrollTop) - top,
  }
}

/** Returns the first row that is fully visible. */
export function rowAt(scrollTop: number, space: ScrollSpace): number {
  const row = Math.ceil((scrollTop * ratioOf(space)) / ROW_HEIGHT - 0.5)
  return Math.max(0, Math.min(space.rowCount - 1, row))
}

/** Returns the scroll position that shows a row, as near as possible to the current one. */
export function scrollTopFor(row: number, scrollTop: number, space: ScrollSpace): number {
  const ratio = ratioOf(space)
  const top = row * ROW_HEIGHT
  const visible = scrollTop * ratio
  if (top < visible) return top / ratio
  const bottom = top + ROW_HEIGHT
  return bottom > visible + space.viewport ? (bottom - space.viewport) / ratio : scrollTop
}

const NOTHING: RowWindow = { first: 0, end: 0, shift: 0 }

/** Follows the scrolling of an element: which of its rows are to be rendered. */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, rowCount: number) {
  // The top row is the first one that is fully visible.
  const [state, setState] = useState({ window: NOTHING, topRow: 0 })
  const count = useRef(rowCount)
  count.current = rowCount

  const update = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    const space = spaceOf(element, count.current)
    const window = windowAt(element.scrollTop, space)
    const topRow = rowAt(element.scrollTop, space)
    // Most scroll events move by less than a row and change nothing.
    setState((last) =>
      last.topRow === topRow && isSame(last.window, window) ? last : { window, topRow },
    )
  }, [scroller])

  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows change the window
  useLayoutEffect(update, [rowCount, update])
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [scroller, update])

  const scrollTo = useCallback(
    (row: number) => {
      const element = scroller.current
      if (element === null) return
      element.scrollTop = scrollTopFor(row, element.scrollTop, spaceOf(element, count.current))
      update()
    },
    [scroller, update],
  )
  return { ...state, scrollTo }
}

/** The header covers one row of the element. */
function spaceOf({ clientHeight }: HTMLElement, rowCount: number) {
  return { rowCount, viewport: Math.max(ROW_HEIGHT, clientHeight - ROW_HEIGHT) }
}

function isSame(a: RowWindow, b: RowWindow): boolean {
  return a.first === b.first && a.end === b.end && a.shift === b.shift
}
