/**
 * The table of objects: a virtual ARIA grid with true row numbers. Rows come from the walk; the next
 * page is requested before the end is reached.
 */

import { useNavigate } from '@tanstack/react-router'
import {
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { countOf } from '../../contract/count-of.ts'
import { keyText, nameOf } from '../api/ontology.ts'
import { type LinkedKey, type Titles, useLinkedTitles } from '../queries/linked-titles.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useWidth } from '../ui/hooks.ts'
import { type Column, columnsOf, useKeyLength, useWidths } from './columns.ts'
import { sizeOf } from './copy-cells.ts'
import { FindBar } from './find-bar.tsx'
import { GridHeader, type GridHeaderProps } from './grid-header.tsx'
import { GridRow, OPENS_ROW, titleOf } from './grid-row.tsx'
import { heightOf, ROW_HEIGHT, type RowWindow, useRowWindow } from './scroll-space.ts'
import { cellAt, cellRange, selectedIn, useCellCopy, useCellDrag } from './use-cell-range.ts'
import { useGridKeys, useKeptCell, useRowActions } from './use-grid-keys.ts'
import { useObjects } from './use-objects.ts'
import { useReadAhead } from './use-walk.ts'
import { WalkNotice } from './walk-notice.tsx'

/** Rows that stand for a page that is being loaded. */
const PENDING_ROWS = 12

function Grid({ columns, onWidth }: GridHeaderProps) {
  const { of, walk: viewWalk } = useObjects()
  const scroller = useRef<HTMLDivElement>(null)
  // Scrolling renders the rows only: their window is the state of this component.
  const header = useMemo(
    () => <GridHeader columns={columns} onWidth={onWidth} grid={scroller} />,
    [columns, onWidth],
  )
  const { state, rows: table, isStale } = viewWalk
  const isAllKnown = state.isComplete || table.hasEnd || state.error !== undefined
  const rowCount = table.rowCount + (isAllKnown ? 0 : PENDING_ROWS)
  // The first rows say how wide columns are. Columns that were shown before would move.
  const areWidthsKnown = table.rowCount > 0 || isAllKnown || isStale
  const shown = useRowWindow(scroller, rowCount)
  useReadAhead(viewWalk, shown.window)
  const cells = useCells(columns, scroller, shown)
  const events = useCellEvents(columns, cells)
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  const pinned = columns.reduce(
    (most, column) => Math.max(most, column.left === undefined ? 0 : column.left + column.width),
    0,
  )
  return (
    <div
      ref={scroller}
      className={`flex-1 min-h-0 overflow-auto bg-panel contain-strict outline-none ${cells.range === undefined ? '' : 'select-none'} ${of.view.isSnapshot ? 'shadow-[inset_3px_0_0_var(--color-snapshot)]' : ''}`}
      // A cell that is scrolled into view is not to lie below the header or pinned columns.
      style={{ scrollPadding: `${ROW_HEIGHT}px 0 0 ${pinned}px` }}
      role="grid"
      aria-label={nameOf(of.objectType)}
      aria-rowcount={state.totalCount === undefined ? -1 : state.totalCount + 1}
      aria-colcount={columns.length}
      aria-multiselectable="true"
      aria-busy={state.isLoading || isStale}
      // Without a cell, the table itself is the stop of the Tab key.
      tabIndex={rowCount === 0 ? 0 : -1}
      {...events}
    >
      <div
        role="presentation"
        style={{ width }}
        className={`relative min-w-full ${areWidthsKnown ? '' : 'invisible'}`}
      >
        {header}
        <div
          role="rowgroup"
          className={`relative ${isStale ? 'opacity-45 transition-opacity duration-(--motion) delay-100' : ''}`}
          style={{ height: heightOf(rowCount) }}
        >
          <GridRows columns={columns} rows={shown.window} {...cells} />
        </div>
      </div>
    </div>
  )
}

type Cells = ReturnType<typeof useCells>

/** The active cell and the selected ones, and where they go when the rows change. */
function useCells(
  columns: readonly Column[],
  scroller: RefObject<HTMLDivElement | null>,
  { topRow, scrollTo }: ReturnType<typeof useRowWindow>,
) {
  const { of, walk: viewWalk, topRow: shownTopRow, grid, cellNote } = useObjects()
  const { state, rows: table, topic } = viewWalk
  useEffect(() => shownTopRow.set(topRow), [topRow, shownTopRow])
  const actions = useRowActions()
  // The column to go to in the last row, which arrives after the key that asked for it.
  const endColumn = useRef<number>(undefined)
  const keys = useGridKeys({
    ...actions,
    columns,
    grid: scroller,
    rowCount: table.rowCount,
    scrollTo,
    onEnd: (column) => {
      if (state.isComplete || table.hasEnd) return move(table.rowCount - 1, column)
      endColumn.current = column
      viewWalk.readEnd()
    },
  })
  const { active, range, move, resume, goToTop } = keys
  useKeptCell(`${of.objectType.rid} ${topic}`, active, resume)
  useLayoutEffect(() => {
    if (!table.hasEnd || endColumn.current === undefined) return
    move(table.rowCount - 1, endColumn.current)
    endColumn.current = undefined
  }, [table, move])
  // Other rows start at the top; the same rows, read again, stay where the reader was.
  const lastTopic = useRef(topic)
  useLayoutEffect(() => {
    if (lastTopic.current !== topic) goToTop()
    lastTopic.current = topic
  }, [topic, goToTop])
  useImperativeHandle(grid, () => ({ goTo: ({ row, column }) => move(row, column) }), [move])
  useEffect(() => {
    if (range === undefined) return cellNote.set('')
    const [rowCount, columnCount] = [range.rows, range.columns].map(([from, to]) => to - from + 1)
    cellNote.set(`${sizeOf(rowCount ?? 0, columnCount ?? 0)} selected`)
  }, [range, cellNote])
  return { ...keys, onOpen: actions.onOpen }
}

/** What presses, drags and keys on the cells do. One listener serves all cells. */
function useCellEvents(columns: readonly Column[], cells: Cells) {
  const { walk } = useObjects()
  const { active, anchor, range, setActive, onKeyDown, onOpen } = cells
  const navigate = useNavigate()
  const dragging = useCellDrag((from, to) => setActive(to, from))
  const onCopy = useCellCopy(columns, range ?? cellRange(active))
  const onClick = (event: MouseEvent) => {
    const cell = cellAt(event)
    if (cell !== undefined && event.shiftKey) {
      event.preventDefault()
      return setActive(cell, anchor ?? active)
    }
    if (cell !== undefined) setActive(cell)
    const link = (event.target as Element).closest('a')
    const isOwn = link !== null && link.target !== '_blank'
    if (!isOwn || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    if (cell !== undefined && link.hasAttribute(OPENS_ROW)) onOpen(cell.row)
    else void navigate({ href: link.getAttribute('href') } as never)
  }
  const onDoubleClick = (event: MouseEvent) => {
    const cell = cellAt(event)
    if (cell !== undefined) onOpen(cell.row)
  }
  const onPointerOver = (event: PointerEvent) => {
    const cell = cellAt(event)
    const column = cell && columns[cell.column]
    const title = column && titleOf(column, walk.rows.record(cell.row))
    if (title !== undefined) cell?.element.setAttribute('title', title)
    dragging.onPointerOver(event)
  }
  return { ...dragging, onKeyDown, onClick, onDoubleClick, onCopy, onPointerOver }
}

interface GridRowsProps extends Pick<Cells, 'active' | 'range'> {
  readonly columns: readonly Column[]
  readonly rows: RowWindow
}

function GridRows({ columns, rows, active, range }: GridRowsProps) {
  const { of, walk: viewWalk, marked } = useObjects()
  const { walk, rows: table } = viewWalk
  const titles = useRowTitles(columns, rows)
  return rowsToRender(rows, active.row, table.rowCount).map((index) => {
    const page = walk.pageAt(index)
    const record = table.record(index)
    const isPageEnd = page !== undefined && page.firstRow + page.count - 1 === index
    return (
      <GridRow
        key={index}
        row={index}
        top={index * ROW_HEIGHT + rows.shift}
        columns={columns}
        record={record}
        isMarked={record !== undefined && marked.has(keyText(record.key))}
        wasRead={table.wasRead(index)}
        primaryKey={of.objectType.primaryKey}
        titles={titles}
        endsPage={isPageEnd && page.hasNextToken ? page.index + 1 : undefined}
        activeColumn={active.row === index ? active.column : undefined}
        {...selectedIn(range, index)}
      />
    )
  })
}

/** Returns the rows of the window, and the active one: without it, its focus would be lost. */
function rowsToRender({ first, end }: RowWindow, active: number, rowCount: number): number[] {
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset)
  if (active >= rowCount) return rows
  if (active < first) return [active, ...rows]
  return active >= end ? [...rows, active] : rows
}

/** Rows whose foreign keys are collected at once, so that scrolling a row asks for nothing. */
const BLOCK = 100

/** Returns the titles of the objects that the rows on the screen link to. */
function useRowTitles(columns: readonly Column[], { first, end }: RowWindow): Titles {
  const { of, walk: viewWalk } = useObjects()
  const { rows: table } = viewWalk
  const linked = useMemo(() => columns.filter(({ link }) => link?.isOwn === false), [columns])
  const from = Math.floor(first / BLOCK) * BLOCK
  const to = Math.min(table.rowCount, Math.ceil(end / BLOCK) * BLOCK)
  const wanted = useMemo(() => {
    if (linked.length === 0) return []
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
    return rows.flatMap((row) => {
      const properties = table.record(row)?.properties ?? {}
      return linked.flatMap(({ name, link }): LinkedKey[] => {
        const value = properties[name] ?? undefined
        return link && value !== undefined ? [{ type: link.type, key: String(value) }] : []
      })
    })
  }, [linked, table, from, to])
  return useLinkedTitles(of.ontology, wanted)
}

/** Rows whose texts decide how wide columns are. */
const SAMPLE = 40

export function ObjectsTable() {
  const { of, counted, canCount, walk, isFinding } = useObjects()
  const { ontology, objectType, view } = of
  const [widths, setWidth] = useWidths(objectType.rid)
  const { walk: current, state, isStale } = walk
  const hasRows = state.rowCount > 0
  const sample = useMemo(
    () => (hasRows && !isStale ? current.recordsOf(0).slice(0, SAMPLE) : []),
    [current, hasRows, isStale],
  )
  const styleOf = useNumberStyles(counted, { canRead: canCount && hasRows })
  const keyLength = useKeyLength(current, state.pages.length)
  const [frame, room] = useWidth()
  const { columns: chosen, pins } = view
  const columns = useMemo(() => {
    const options = { widths, sample, keyLength, styleOf, room }
    return columnsOf(ontology, objectType, { columns: chosen, pins }, options)
  }, [ontology, objectType, chosen, pins, widths, sample, keyLength, styleOf, room])
  return (
    <div ref={frame} className="relative flex flex-1 flex-col min-w-0 min-h-0">
      {isFinding && <FindBar columns={columns} />}
      <Grid columns={columns} onWidth={setWidth} />
      <p className="sr-only" role="status">
        {state.isLoading ? 'Loading' : `${countOf(state.rowCount, 'row')} loaded`}
      </p>
      <WalkNotice />
    </div>
  )
}
