import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ROW_HEIGHT, type RowWindow, rowAt, scrollTopFor, windowAt } from './scroll-space.ts'

export interface RowWindowState {
  readonly window: RowWindow
  /** The first row that is fully visible. */
  readonly topRow: number
  readonly scrollTo: (row: number) => void
}

const NOTHING: RowWindow = { first: 0, end: 0, shift: 0 }

/** Follows the scrolling of an element: which of its rows are to be rendered. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  rowCount: number,
): RowWindowState {
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
