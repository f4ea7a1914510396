/**
 * The table of objects: a virtual ARIA grid with true row numbers. Rows come from the walk; the next
 * page is requested before the end is reached.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef } from 'react'
import { formatCount } from '../ui/format.ts'
import type { Column } from './columns.ts'
import styles from './grid.module.css'
import { GridHeader, type OrderProps } from './grid-header.tsx'
import { GridRow } from './grid-row.tsx'
import { type RowActions, useGridKeys } from './use-grid-keys.ts'
import type { ViewWalk } from './use-walk.ts'

export const ROW_HEIGHT = 32
const OVERSCAN = 8
/** Rows before the end at which the next page is requested. */
const LOAD_AHEAD = 200
/** Rows that stand for a page that is being loaded. */
const PENDING_ROWS = 12

export interface GridProps extends OrderProps, RowActions {
  readonly label: string
  readonly walk: ViewWalk
  readonly columns: readonly Column[]
  readonly primaryKey: string
}

export function Grid(props: GridProps) {
  const { walk: viewWalk, columns, primaryKey, label, order, onOrder, onOpen } = props
  const { walk, state } = viewWalk
  const scroller = useRef<HTMLDivElement>(null)
  const pending = state.isComplete || state.error !== undefined ? 0 : PENDING_ROWS
  const rowCount = state.rowCount + pending
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_HEIGHT,
  })
  const rows = virtual.getVirtualItems()
  const lastRow = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastRow >= state.rowCount - LOAD_AHEAD && state.error === undefined) void walk.loadNext()
  }, [lastRow, state.rowCount, state.error, walk])

  const scrollTo = useCallback((row: number) => virtual.scrollToIndex(row), [virtual])
  const { active, setActive, onKeyDown } = useGridKeys({
    ...props,
    rowCount: state.rowCount,
    scrollTo,
  })
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={state.totalCount === undefined ? -1 : state.totalCount + 1}
      aria-colcount={columns.length}
      aria-busy={state.isLoading}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div style={{ width }} className={styles.canvas}>
        <GridHeader columns={columns} order={order} onOrder={onOrder} />
        <div role="rowgroup" className={styles.body} style={{ height: rowCount * ROW_HEIGHT }}>
          {rows.map(({ index, start }) => (
            <GridRow
              key={index}
              row={index}
              top={start}
              columns={columns}
              record={walk.record(index)}
              primaryKey={primaryKey}
              isPageEnd={state.pages.some(({ firstRow, count }) => firstRow + count - 1 === index)}
              activeColumn={active.row === index ? active.column : undefined}
              onActivate={setActive}
              onOpen={onOpen}
            />
          ))}
        </div>
      </div>
      <p className="visually-hidden" role="status">
        {state.isLoading ? 'Loading' : `${formatCount(state.rowCount)} rows loaded`}
      </p>
    </div>
  )
}
