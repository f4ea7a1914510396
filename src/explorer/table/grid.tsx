/**
 * The table of objects: a virtual ARIA grid with true row numbers. Rows come from the walk; the next
 * page is requested before the end is reached.
 */
import { useNavigate } from '@tanstack/react-router'
import {
  type MouseEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import type { Column } from './columns.ts'
import styles from './grid.module.css'
import { type ColumnActions, GridHeader } from './grid-header.tsx'
import { GridRow } from './grid-row.tsx'
import { heightOf, ROW_HEIGHT } from './scroll-space.ts'
import { type ActiveCell, type RowActions, useGridKeys } from './use-grid-keys.ts'
import { useRowWindow } from './use-row-window.ts'
import type { ViewWalk } from './use-walk.ts'

/** Rows before the end at which the next page is requested. */
const LOAD_AHEAD = 200
/** Rows that stand for a page that is being loaded. */
const PENDING_ROWS = 12

/** What other parts of the screen can ask of the grid. */
export interface GridHandle {
  readonly goTo: (cell: ActiveCell) => void
}

export interface GridProps extends ColumnActions, RowActions {
  readonly label: string
  readonly walk: ViewWalk
  readonly columns: readonly Column[]
  readonly primaryKey: string
  readonly isSnapshot: boolean
  readonly onTopRow: (row: number) => void
  readonly ref: Ref<GridHandle>
}

export function Grid(props: GridProps) {
  const { walk: viewWalk, columns, primaryKey, label, onOpen, onTopRow, isSnapshot, ref } = props
  const { walk, state, topic, isStale } = viewWalk
  const scroller = useRef<HTMLDivElement>(null)
  const pending = state.isComplete || state.error !== undefined ? 0 : PENDING_ROWS
  const rowCount = state.rowCount + pending
  const { window: rows, topRow, scrollTo } = useRowWindow(scroller, rowCount)
  const navigate = useNavigate()
  // Other rows start at the top; the same rows, read again, stay where the reader was.
  const lastTopic = useRef(topic)
  useLayoutEffect(() => {
    if (lastTopic.current !== topic) scroller.current?.scrollTo({ top: 0 })
    lastTopic.current = topic
  }, [topic])
  useEffect(() => onTopRow(topRow), [topRow, onTopRow])
  useEffect(() => {
    const isNear = rows.end >= state.rowCount - LOAD_AHEAD
    if (isNear && state.error === undefined && !state.isLoading) void walk.loadNext()
  }, [rows.end, state.rowCount, state.error, state.isLoading, walk])

  const { active, move, setActive, onKeyDown } = useGridKeys({
    ...props,
    rowCount: state.rowCount,
    scrollTo,
  })
  useImperativeHandle(ref, () => ({ goTo: ({ row, column }) => move(row, column) }), [move])
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')?.getAttribute('href')
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate({ to: link as '/' })
  }
  const classes = [styles.scroller, isSnapshot ? styles.snapshot : '', isStale ? styles.stale : '']
  return (
    <div
      ref={scroller}
      className={classes.join(' ')}
      role="grid"
      aria-label={label}
      aria-rowcount={state.totalCount === undefined ? -1 : state.totalCount + 1}
      aria-colcount={columns.length}
      aria-busy={state.isLoading || isStale}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onClick={follow}
    >
      <div role="presentation" style={{ width }} className={styles.canvas}>
        <GridHeader {...props} columns={columns} />
        <div role="rowgroup" className={styles.body} style={{ height: heightOf(rowCount) }}>
          {Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, offset) => {
            const index = rows.first + offset
            const page = walk.pageAt(index)
            const isPageEnd = page !== undefined && page.firstRow + page.count - 1 === index
            return (
              <GridRow
                key={index}
                row={index}
                top={index * ROW_HEIGHT + rows.shift}
                columns={columns}
                record={walk.record(index)}
                primaryKey={primaryKey}
                endsPage={isPageEnd && page.hasNextToken ? page.index + 1 : undefined}
                activeColumn={active.row === index ? active.column : undefined}
                onActivate={setActive}
                onOpen={onOpen}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
