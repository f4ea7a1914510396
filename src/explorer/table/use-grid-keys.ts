import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { areLettersOn } from '../shell/letters.ts'
import type { Column } from './columns.ts'

export interface ActiveCell {
  readonly row: number
  readonly column: number
}

/** What a key can do with the object of a row. */
export interface RowActions {
  readonly onOpen: (row: number) => void
  readonly onPeek: (row: number) => void
  readonly onFilter: (row: number, column: string, isExcluded: boolean) => void
  /** Copies the text of a cell. */
  readonly onCopy: (row: number, column: string) => void
  /** Orders by a column: upwards, then downwards, then not at all. */
  readonly onOrderBy: (column: string) => void
}

interface GridKeysOptions extends RowActions {
  readonly columns: readonly Column[]
  readonly rowCount: number
  readonly scrollTo: (row: number) => void
}

const PAGE_ROWS = 20

/** The active cell of the grid, and the keys that move it and act on it. */
export function useGridKeys(options: GridKeysOptions) {
  const { columns, rowCount, scrollTo } = options
  const [active, setActive] = useState<ActiveCell>({ row: 0, column: 0 })
  const hasMoved = useRef(false)

  const move = useCallback(
    (row: number, column: number) => {
      const next = {
        row: Math.max(0, Math.min(rowCount - 1, row)),
        column: Math.max(0, Math.min(columns.length - 1, column)),
      }
      hasMoved.current = true
      setActive(next)
      scrollTo(next.row)
    },
    [rowCount, columns.length, scrollTo],
  )

  // The focus follows the active cell, once its row is rendered.
  useEffect(() => {
    if (!hasMoved.current) return
    const frame = requestAnimationFrame(() => {
      const selector = `[aria-rowindex="${active.row + 2}"] [data-cell="${active.column}"]`
      document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [active])

  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const { row, column } = active
      if (!(event.target as HTMLElement).matches('[role="gridcell"]')) return
      const isFar = event.ctrlKey || event.metaKey
      const name = columns[column]?.name ?? ''
      if (isFar && event.key.toLowerCase() === 'c' && String(getSelection()) === '') {
        event.preventDefault()
        options.onCopy(row, name)
      }
      const moves: Readonly<Record<string, () => void>> = {
        ArrowDown: () => move(isFar ? rowCount - 1 : row + 1, column),
        ArrowUp: () => move(isFar ? 0 : row - 1, column),
        ArrowRight: () => move(row, isFar ? columns.length - 1 : column + 1),
        ArrowLeft: () => move(row, isFar ? 0 : column - 1),
        Home: () => move(isFar ? 0 : row, 0),
        End: () => move(isFar ? rowCount - 1 : row, columns.length - 1),
        PageDown: () => move(row + PAGE_ROWS, column),
        PageUp: () => move(row - PAGE_ROWS, column),
        Enter: () => options.onOpen(row),
        ' ': () => options.onPeek(row),
      }
      const letters: Readonly<Record<string, () => void>> = {
        '=': () => options.onFilter(row, name, false),
        '-': () => options.onFilter(row, name, true),
        o: () => options.onOrderBy(name),
      }
      const act = moves[event.key] ?? (isFar || !areLettersOn() ? undefined : letters[event.key])
      if (act === undefined) return
      event.preventDefault()
      act()
    },
    [active, columns, move, options, rowCount],
  )
  return { active, move, setActive, onKeyDown }
}
