import { useNavigate } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { keyText } from '../api/ontology.ts'
import { areLettersOn, isTaken, useListener } from '../ui/hooks.ts'
import { listedObjectLink } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { type Column, isSortable } from './columns.ts'
import type { CellRange } from './copy-cells.ts'
import { focusHeader, moveInHeader } from './header-keys.ts'
import { keepCell, readKeptCell } from './kept-cell.ts'
import { toggleOrder } from './order-terms.ts'
import { type ActiveCell, useObjects } from './use-objects.ts'

interface GridKeysOptions extends ReturnType<typeof useRowActions> {
  readonly grid: RefObject<HTMLElement | null>
  readonly columns: readonly Column[]
  readonly rowCount: number
  readonly scrollTo: (row: number) => void
  /** Goes to the last row of the table in a column. */
  readonly onEnd: (column: number) => void
}

const PAGE_ROWS = 20
/** Links to objects; others open in a tab of their own. */
const OWN_LINK = 'a:not([target])'

/** The active cell of the grid, and the keys that move it and act on it. */
export function useGridKeys(options: GridKeysOptions) {
  const { columns } = options
  const cell = useActiveCell(options)
  const { active, range, move, setAnchor, markUsed } = cell
  // The ends of the table are a key away, also before a cell has the focus.
  useListener('keydown', (event: globalThis.KeyboardEvent) => {
    const isFar = event.ctrlKey || event.metaKey
    if (!isFar || event.defaultPrevented || isTaken(event)) return
    if (event.key === 'End') options.onEnd(columns.length - 1)
    else if (event.key === 'Home') move(0, 0)
    else return
    event.preventDefault()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).matches('[role="gridcell"]')) {
      return moveInHeader(event, (toColumn) => move(active.row, toColumn))
    }
    const isFar = event.ctrlKey || event.metaKey
    const keys: Keys = {
      ...(isFar || !areLettersOn() ? {} : letterKeys(options, active)),
      ...moveKeys(event, options, cell),
      ...(range !== undefined && { Escape: () => setAnchor(undefined) }),
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    // Escape ends the selection first, and closes what is beside the table after that.
    if (event.key === 'Escape') event.stopPropagation()
    markUsed()
    act()
  }
  return { ...cell, onKeyDown }
}

type Keys = Readonly<Record<string, () => void>>

/** The keys that move the active cell, or open its object. With Shift, moves select cells. */
function moveKeys(
  event: KeyboardEvent,
  { grid, columns, rowCount, onEnd, onOpen, onPeek }: GridKeysOptions,
  { active, anchor, move }: ReturnType<typeof useActiveCell>,
): Keys {
  const { row, column } = active
  const isFar = event.ctrlKey || event.metaKey
  const [lastRow, lastColumn] = [rowCount - 1, columns.length - 1]
  const from = event.shiftKey ? (anchor ?? active) : undefined
  const go = (toRow: number, toColumn: number) => () => move(toRow, toColumn, from)
  // A selection ends with what was read; without one, the end of the table is read first.
  const goToEnd = (toColumn: number) =>
    from === undefined ? () => onEnd(toColumn) : go(lastRow, toColumn)
  return {
    ArrowDown: isFar ? goToEnd(column) : go(row + 1, column),
    ArrowUp:
      row === 0 && from === undefined
        ? () => focusHeader(grid.current, column)
        : go(isFar ? 0 : row - 1, column),
    ArrowRight: go(row, isFar ? lastColumn : column + 1),
    ArrowLeft: go(row, isFar ? 0 : column - 1),
    Home: go(isFar ? 0 : row, 0),
    End: isFar ? goToEnd(lastColumn) : go(row, lastColumn),
    PageDown: go(row + PAGE_ROWS, column),
    PageUp: go(row - PAGE_ROWS, column),
    Enter: () => {
      const link = (event.target as Element).querySelector<HTMLElement>(OWN_LINK)
      if (link === null) onOpen(row)
      else link.click()
    },
    ' ': () => onPeek(row),
  }
}

function letterKeys({ columns, onFilter, onOrderBy }: GridKeysOptions, cell: ActiveCell): Keys {
  const name = columns[cell.column]?.name ?? ''
  return {
    '=': () => onFilter(cell.row, name, false),
    '-': () => onFilter(cell.row, name, true),
    o: () => onOrderBy(name),
  }
}

/** The cell that keys act on, with the focus, and the other corner of the selected cells. */
function useActiveCell({ grid, columns, rowCount, scrollTo, onActive }: GridKeysOptions) {
  const [chosen, setChosen] = useState<ActiveCell>({ row: 0, column: 0 })
  const [anchor, setAnchor] = useState<ActiveCell>()
  const isUsed = useRef(false)
  const takesFocus = useRef(false)
  // Other rows or columns may be fewer than those that the cell was chosen from.
  const row = clamp(chosen.row, rowCount)
  const column = clamp(chosen.column, columns.length)
  const active = useMemo(() => ({ row, column }), [row, column])
  const range = useMemo(() => rangeOf(anchor, active), [anchor, active])
  const markUsed = () => {
    isUsed.current = true
  }

  const listener = useRef(onActive)
  listener.current = onActive
  /** Makes a cell the active one; with an anchor, all cells between both are selected. */
  const setActive = useCallback((cell: ActiveCell, from?: ActiveCell) => {
    isUsed.current = true
    setChosen(cell)
    setAnchor(from)
    listener.current(cell.row)
  }, [])
  const move = useCallback(
    (toRow: number, toColumn: number, from?: ActiveCell) => {
      const next = { row: clamp(toRow, rowCount), column: clamp(toColumn, columns.length) }
      setActive(next, from)
      takesFocus.current = true
      scrollTo(next.row)
    },
    [rowCount, columns.length, scrollTo, setActive],
  )
  const goToTop = useCallback(() => {
    setChosen((cell) => ({ ...cell, row: 0 }))
    setAnchor(undefined)
    scrollTo(0)
  }, [scrollTo])
  /** Goes to a cell as the reader would, unless something beside the table has the focus. */
  const resume = useCallback(
    (cell: ActiveCell) => {
      isUsed.current = true
      setChosen(cell)
      scrollTo(cell.row)
      requestAnimationFrame(() => {
        if (hasFocus(grid.current)) focusCell(grid.current, cell, true)
      })
    },
    [scrollTo, grid],
  )
  // The focus follows the active cell at once: the cell before it no longer takes the focus, and keys
  // that are pressed in between would be lost.
  useLayoutEffect(() => {
    if (!isUsed.current) return
    const isMoved = takesFocus.current
    takesFocus.current = false
    if (isMoved || hasFocus(grid.current)) focusCell(grid.current, active, isMoved)
  }, [active, grid])
  return { active, anchor, setAnchor, range, move, resume, goToTop, setActive, markUsed }
}

/** Returns the cells between two; undefined if they are one. */
function rangeOf(anchor: ActiveCell | undefined, active: ActiveCell): CellRange | undefined {
  if (anchor === undefined) return undefined
  const rows = between(anchor.row, active.row)
  const columns = between(anchor.column, active.column)
  return rows[0] === rows[1] && columns[0] === columns[1] ? undefined : { rows, columns }
}

function between(one: number, other: number): readonly [first: number, last: number] {
  return [Math.min(one, other), Math.max(one, other)]
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}

/** False if a field beside the table has the focus, such as the search for free text. */
function hasFocus(grid: HTMLElement | null): boolean {
  const focused = document.activeElement
  return focused === document.body || grid?.contains(focused) === true
}

function focusCell(grid: HTMLElement | null, { row, column }: ActiveCell, scrolls: boolean): void {
  const cell = grid?.querySelector<HTMLElement>(
    `[aria-rowindex="${row + 2}"] [aria-colindex="${column + 1}"]`,
  )
  cell?.focus({ preventScroll: true })
  if (scrolls) cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Pages that are read to find the row that the reader was in. */
const MAX_PAGES = 20

/**
 * Leads to the cell that the reader was in, or to the first one, so that keys work once the table is
 * there; and keeps the cell for the way back.
 */
export function useKeptCell(
  list: string,
  active: ActiveCell,
  resume: (cell: ActiveCell) => void,
): void {
  const { walk: viewWalk } = useObjects()
  const { walk, state, rows, isStale } = viewWalk
  const isResumed = useRef(false)
  useEffect(() => {
    if (isResumed.current || isStale || rows.rowCount === 0) return
    const kept = readKeptCell(list)
    const isMissing = kept !== undefined && kept.row >= rows.rowCount
    if (isMissing && !state.isComplete && state.error === undefined) {
      if (state.isLoading) return
      if (state.pages.length < MAX_PAGES) return void walk.loadNext()
    }
    isResumed.current = true
    const record = kept && rows.record(kept.row)
    const isSame = kept !== undefined && record !== undefined && keyText(record.key) === kept.key
    resume(isSame ? kept : { row: 0, column: 0 })
  }, [list, walk, state, rows, isStale, resume])
  useEffect(() => {
    const record = isResumed.current && !isStale ? rows.record(active.row) : undefined
    if (record !== undefined) keepCell(list, { ...active, key: keyText(record.key) })
  }, [list, rows, active, isStale])
}

const SETTLE_MS = 80

/** What a reader can do with the object of a row. */
export function useRowActions() {
  const { of, view, setView, linked, walk: viewWalk } = useObjects()
  const { walk, rows } = viewWalk
  const navigate = useNavigate()
  const addFilter = (filter: Filter) => setView({ filters: [...view.filters, filter] })
  const onPeek = (row: number) => {
    const record = rows.record(row)
    if (record !== undefined) setView({ peek: keyText(record.key) }, { replace: true })
  }
  // The panel follows the active row, but does not ask for rows that are only passed. By then, it may
  // have been closed, and the view may be another one.
  const following = useRef<ReturnType<typeof setTimeout>>(undefined)
  const peekIfOpen = useRef(onPeek)
  peekIfOpen.current = (row) => {
    if (view.peek !== undefined) onPeek(row)
  }
  useEffect(() => () => clearTimeout(following.current), [])
  return {
    onPeek,
    /** The reader moved to a row, by keys or by a click. */
    onActive: (row: number) => {
      clearTimeout(following.current)
      following.current = setTimeout(() => peekIfOpen.current(row), SETTLE_MS)
    },
    onOpen: (row: number) => {
      const record = rows.record(row)
      if (record === undefined) return
      const version = view.isSnapshot ? walk.getState().pages[0]?.version : undefined
      void navigate(listedObjectLink(of, keyText(record.key), { linked, version }) as never)
    },
    onFilter: (row: number, field: string, isExcluded: boolean) => {
      const definition = of.objectType.properties[field]
      const value = rows.record(row)?.properties[field]
      if (value === undefined || value === null) {
        addFilter({ field, operator: isExcluded ? 'filled' : 'empty', value: '' })
      } else if (definition !== undefined && isSortable(definition)) {
        addFilter({ field, operator: isExcluded ? 'neq' : 'eq', value: String(value) })
      }
    },
    /** Orders by a column: upwards, then downwards, then not at all. */
    onOrderBy: (name: string) => setView({ order: toggleOrder(of.view.order, name, false) }),
  }
}
