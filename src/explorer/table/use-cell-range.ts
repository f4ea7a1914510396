/** Selecting cells with the mouse, and copying them. */
import { type ClipboardEvent, type MouseEvent, type PointerEvent, useRef } from 'react'
import type { Column } from './columns.ts'
import { type CellRange, copyCells } from './copy-cells.ts'
import { type ActiveCell, useObjects } from './use-objects.ts'

/** Returns the cell that an event is about. One listener serves all cells. */
export function cellAt({ target }: MouseEvent): (ActiveCell & { element: Element }) | undefined {
  const element = (target as Element).closest('[role="gridcell"]')
  const row = element?.closest('[role="row"]')?.getAttribute('aria-rowindex')
  const column = element?.getAttribute('aria-colindex')
  if (!element || !row || !column) return undefined
  return { row: Number(row) - 2, column: Number(column) - 1, element }
}

/** Returns the range of one cell. */
export function cellRange({ row, column }: ActiveCell): CellRange {
  return { rows: [row, row], columns: [column, column] }
}

/** Returns which cells of a row are selected, as properties that are equal if they are the same. */
export function selectedIn(range: CellRange | undefined, row: number) {
  const isIn = range !== undefined && row >= range.rows[0] && row <= range.rows[1]
  return {
    selectedFrom: isIn ? range.columns[0] : undefined,
    selectedTo: isIn ? range.columns[1] : undefined,
  }
}

/** A drag from cell to cell selects them; within a cell, it selects its text. */
export function useCellDrag(onSelect: (from: ActiveCell, to: ActiveCell) => void) {
  const start = useRef<ActiveCell>(undefined)
  return {
    onPointerDown: (event: PointerEvent) => {
      const isMouse = event.button === 0 && event.pointerType !== 'touch'
      start.current = isMouse && !event.shiftKey ? cellAt(event) : undefined
    },
    onPointerOver: (event: PointerEvent) => {
      const cell = event.buttons === 1 ? cellAt(event) : undefined
      const { current } = start
      if (cell === undefined || current === undefined) return
      if (cell.row === current.row && cell.column === current.column) return
      getSelection()?.removeAllRanges()
      onSelect({ row: current.row, column: current.column }, cell)
    },
    onPointerUp: () => {
      start.current = undefined
    },
    // Shift would select texts from where the last click was.
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey && cellAt(event) !== undefined) event.preventDefault()
    },
  }
}

/** Copies cells, unless a part of a text is selected. */
export function useCellCopy(columns: readonly Column[], range: CellRange) {
  const { walk, cellNote } = useObjects()
  return (event: ClipboardEvent) => {
    const isCell = (event.target as Element).closest('[role="gridcell"]') !== null
    if (!isCell || String(getSelection()) !== '') return
    event.preventDefault()
    const copied = copyCells(range, walk.rows, columns)
    if (typeof copied === 'string') return cellNote.set(copied)
    event.clipboardData.setData('text/plain', copied.text)
    event.clipboardData.setData('text/html', copied.html)
    cellNote.set(copied.note)
  }
}
