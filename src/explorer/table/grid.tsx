/**
 * The table of objects: a virtual ARIA grid with true row numbers. Rows come from the walk; the next
 * page is requested before the end is reached.
 */

import { useNavigate } from '@tanstack/react-router'
import {
  type MouseEvent,
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
import { type Column, columnsOf, useKeyLength, useWidths } from './columns.ts'
import { FindBar } from './find-bar.tsx'
import { GridHeader, type GridHeaderProps } from './grid-header.tsx'
import { GridRow, OPENS_ROW, titleOf } from './grid-row.tsx'
import { heightOf, ROW_HEIGHT, type RowWindow, useRowWindow } from './scroll-space.ts'
import { useGridKeys, useRowActions } from './use-grid-keys.ts'
import { type ActiveCell, useObjects } from './use-objects.ts'
import { WalkNotice } from './walk-notice.tsx'

/** Rows before the end at which the next page is requested. */
const LOAD_AHEAD = 200
/** Rows that stand for a page that is being loaded. */
const PENDING_ROWS = 12

function Grid({ columns, onWidth }: GridHeaderProps) {
  const { of, walk: viewWalk, topRow: shownTopRow, grid, marked } = useObjects()
  // Scrolling renders the rows only: their window is the state of this component.
  const header = useMemo(
    () => <GridHeader columns={columns} onWidth={onWidth} />,
    [columns, onWidth],
  )
  const { walk, state, topic, isStale } = viewWalk
  const scroller = useRef<HTMLDivElement>(null)
  const pending = state.isComplete || state.error !== undefined ? 0 : PENDING_ROWS
  const rowCount = state.rowCount + pending
  const { window: rows, topRow, scrollTo } = useRowWindow(scroller, rowCount)
  const titles = useRowTitles(columns, rows)
  const navigate = useNavigate()
  useEffect(() => shownTopRow.set(topRow), [topRow, shownTopRow])
  useEffect(() => {
    const isNear = rows.end >= state.rowCount - LOAD_AHEAD
    if (isNear && state.error === undefined && !state.isLoading) void walk.loadNext()
  }, [rows.end, state.rowCount, state.error, state.isLoading, walk])

  const actions = useRowActions()
  const { active, move, goToTop, setActive, onKeyDown } = useGridKeys({
    ...actions,
    columns,
    grid: scroller,
    rowCount: state.rowCount,
    scrollTo,
  })
  // Other rows start at the top; the same rows, read again, stay where the reader was.
  const lastTopic = useRef(topic)
  useLayoutEffect(() => {
    if (lastTopic.current !== topic) goToTop()
    lastTopic.current = topic
  }, [topic, goToTop])
  useImperativeHandle(grid, () => ({ goTo: ({ row, column }) => move(row, column) }), [move])
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  const onClick = (event: MouseEvent) => {
    const cell = cellAt(event)
    if (cell !== undefined) setActive(cell)
    const link = (event.target as Element).closest('a')
    const isOwn = link !== null && link.target !== '_blank'
    if (!isOwn || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    if (cell !== undefined && link.hasAttribute(OPENS_ROW)) actions.onOpen(cell.row)
    else void navigate({ href: link.getAttribute('href') } as never)
  }
  const onDoubleClick = (event: MouseEvent) => {
    const cell = cellAt(event)
    if (cell !== undefined) actions.onOpen(cell.row)
  }
  const showTitle = (event: MouseEvent) => {
    const cell = cellAt(event)
    const column = cell && columns[cell.column]
    const title = column && titleOf(column, walk.record(cell.row))
    if (title !== undefined) cell?.element.setAttribute('title', title)
  }
  return (
    <div
      ref={scroller}
      className={`flex-1 min-h-0 overflow-auto bg-panel contain-strict outline-none ${of.view.isSnapshot ? 'shadow-[inset_3px_0_0_var(--color-snapshot)]' : ''}`}
      role="grid"
      aria-label={nameOf(of.objectType)}
      aria-rowcount={state.totalCount === undefined ? -1 : state.totalCount + 1}
      aria-colcount={columns.length}
      aria-busy={state.isLoading || isStale}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onDoubleClick={onDoubleClick}
      onPointerOver={showTitle}
    >
      <div role="presentation" style={{ width }} className="relative min-w-full">
        {header}
        <div
          role="rowgroup"
          className={`relative ${isStale ? 'opacity-45 transition-opacity duration-(--motion) delay-100' : ''}`}
          style={{ height: heightOf(rowCount) }}
        >
          {rowsToRender(rows, active.row, state.rowCount).map((index) => {
            const page = walk.pageAt(index)
            const record = walk.record(index)
            const isPageEnd = page !== undefined && page.firstRow + page.count - 1 === index
            return (
              <GridRow
                key={index}
                row={index}
                top={index * ROW_HEIGHT + rows.shift}
                columns={columns}
                record={record}
                isMarked={record !== undefined && marked.has(keyText(record.key))}
                wasRead={page !== undefined}
                primaryKey={of.objectType.primaryKey}
                titles={titles}
                endsPage={isPageEnd && page.hasNextToken ? page.index + 1 : undefined}
                activeColumn={active.row === index ? active.column : undefined}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Returns the rows of the window, and the active one: without it, its focus would be lost. */
function rowsToRender({ first, end }: RowWindow, active: number, rowCount: number): number[] {
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset)
  if (active >= rowCount) return rows
  if (active < first) return [active, ...rows]
  return active >= end ? [...rows, active] : rows
}

/** Returns the cell that an event is about. One listener serves all cells. */
function cellAt({ target }: MouseEvent): (ActiveCell & { element: Element }) | undefined {
  const element = (target as Element).closest('[role="gridcell"]')
  const row = element?.closest('[role="row"]')?.getAttribute('aria-rowindex')
  const column = element?.getAttribute('aria-colindex')
  if (!element || !row || !column) return undefined
  return { row: Number(row) - 2, column: Number(column) - 1, element }
}

/** Rows whose foreign keys are collected at once, so that scrolling a row asks for nothing. */
const BLOCK = 100

/** Returns the titles of the objects that the rows on the screen link to. */
function useRowTitles(columns: readonly Column[], { first, end }: RowWindow): Titles {
  const { of, walk: viewWalk } = useObjects()
  const { walk, state } = viewWalk
  // The key of a row links to the object of the row itself.
  const linked = useMemo(() => columns.slice(1).filter(({ link }) => link !== undefined), [columns])
  const from = Math.floor(first / BLOCK) * BLOCK
  const to = Math.min(state.rowCount, Math.ceil(end / BLOCK) * BLOCK)
  const wanted = useMemo(() => {
    if (linked.length === 0) return []
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
    return rows.flatMap((row) => {
      const properties = walk.record(row)?.properties ?? {}
      return linked.flatMap(({ name, link }): LinkedKey[] => {
        const value = properties[name] ?? undefined
        return link && value !== undefined ? [{ type: link.type, key: String(value) }] : []
      })
    })
  }, [linked, walk, from, to])
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
  const columns = useMemo(
    () => columnsOf(ontology, objectType, view.columns, { widths, sample, keyLength, styleOf }),
    [ontology, objectType, view.columns, widths, sample, keyLength, styleOf],
  )
  return (
    <div className="relative flex flex-1 flex-col min-w-0 min-h-0">
      {isFinding && <FindBar columns={columns} />}
      <Grid columns={columns} onWidth={setWidth} />
      <p className="sr-only" role="status">
        {state.isLoading ? 'Loading' : `${countOf(state.rowCount, 'row')} loaded`}
      </p>
      <WalkNotice />
    </div>
  )
}
