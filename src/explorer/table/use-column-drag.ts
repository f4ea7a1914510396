import { type MouseEvent, type PointerEvent, useRef, useState } from 'react'

/** A shorter movement is a press. */
const PRESS = 6
/** A drag this near to the edge of the table scrolls it. */
const EDGE = 32
const SCROLL_STEP = 16

export interface ColumnDrag {
  readonly name: string
  /** The place before which the column would come. */
  readonly to: number
}

/** Dragging the name of a column moves the column. A finger scrolls the table instead. */
export function useColumnDrag(onDrop: (drag: ColumnDrag) => void) {
  const [drag, showDrag] = useState<ColumnDrag>()
  // On a busy machine, the button is released before the last movement is drawn.
  const latest = useRef<ColumnDrag>(undefined)
  const setDrag = (next: ColumnDrag | undefined) => {
    latest.current = next
    showDrag(next)
  }
  const start = useRef<{ readonly x: number; readonly name: string }>(undefined)
  // The click that ends a drag does not sort.
  const endsDrag = useRef(false)
  const end = () => {
    start.current = undefined
    setDrag(undefined)
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { clientX, currentTarget, pointerId } = event
    if (start.current === undefined) return
    if (latest.current === undefined && Math.abs(clientX - start.current.x) < PRESS) return
    currentTarget.setPointerCapture(pointerId)
    endsDrag.current = true
    scrollNear(currentTarget.closest('[role="grid"]'), clientX)
    setDrag({
      name: start.current.name,
      to: placeAt(currentTarget.closest('[role="row"]'), clientX),
    })
  }
  const handlersOf = (name: string) => ({
    onPointerDown: ({ button, clientX, pointerType }: PointerEvent) => {
      endsDrag.current = false
      if (button === 0 && pointerType !== 'touch') start.current = { x: clientX, name }
    },
    onPointerMove,
    onPointerUp: () => {
      if (latest.current !== undefined) onDrop(latest.current)
      end()
    },
    onPointerCancel: end,
    onClickCapture: (event: MouseEvent) => {
      if (endsDrag.current) event.stopPropagation()
      endsDrag.current = false
    },
  })
  return { drag, handlersOf }
}

function placeAt(row: Element | null, x: number): number {
  const heads = [...(row?.querySelectorAll('[role="columnheader"]') ?? [])]
  return heads.filter((head) => {
    const { left, width } = head.getBoundingClientRect()
    return left + width / 2 < x
  }).length
}

function scrollNear(grid: Element | null, x: number): void {
  if (grid === null) return
  const { left, right } = grid.getBoundingClientRect()
  if (x > right - EDGE) grid.scrollLeft += SCROLL_STEP
  if (x < left + EDGE) grid.scrollLeft -= SCROLL_STEP
}
