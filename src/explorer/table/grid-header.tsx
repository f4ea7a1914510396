import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { Icon } from '../ui/icon.tsx'
import type { OrderTerm } from '../view/view-state.ts'
import { ColumnMenu, type ColumnMenuProps } from './column-menu.tsx'
import { type Column, isSortable, MIN_WIDTH } from './columns.ts'
import styles from './grid.module.css'
import { orderOf, toggleOrder } from './order-terms.ts'

export interface ColumnActions extends Omit<ColumnMenuProps, 'column'> {
  readonly onWidth: (column: string, width: number) => void
}

export interface GridHeaderProps extends ColumnActions {
  readonly columns: readonly Column[]
  readonly primaryKey: string
}

export function GridHeader({ columns, primaryKey, ...actions }: GridHeaderProps) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" tabIndex={-1} aria-rowindex={1} className={styles.row}>
        {columns.map((column, index) => (
          <HeaderCell
            key={column.name}
            column={column}
            index={index}
            isKey={column.name === primaryKey}
            actions={actions}
          />
        ))}
      </div>
    </div>
  )
}

interface HeaderCellProps {
  readonly column: Column
  readonly index: number
  readonly isKey: boolean
  readonly actions: ColumnActions
}

function HeaderCell({ column, index, isKey, actions }: HeaderCellProps) {
  const { name, definition, width, isNumeric } = column
  const { order, onOrder, onWidth } = actions
  const term = orderOf(order, name)
  const classes = [
    styles.headCell,
    isNumeric ? styles.numeric : '',
    isKey ? styles.headKey : '',
  ].join(' ')
  const menu = <ColumnMenu {...actions} column={column} />
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index + 1}
      aria-sort={ariaSort(term?.direction)}
      className={classes}
      style={{ width }}
      title={`${name}: ${definition.type}${definition.description ? ` – ${definition.description}` : ''}`}
    >
      {/* Beside the name, not over it. Names of numbers stand at the right, above their numbers. */}
      {isNumeric && menu}
      {isSortable(definition) ? (
        <button
          type="button"
          className={styles.headButton}
          onClick={({ shiftKey }) => onOrder(toggleOrder(order, name, shiftKey))}
        >
          <span className={styles.ellipsis}>{nameOfProperty(name, definition)}</span>
          {term !== undefined && (
            <>
              <Icon name={term.direction === 'asc' ? 'up' : 'down'} size={12} />
              {order.length > 1 && <sup>{term.rank}</sup>}
            </>
          )}
        </button>
      ) : (
        <span className={`${styles.ellipsis} ${styles.unsorted}`}>
          {nameOfProperty(name, definition)}
        </span>
      )}
      {!isNumeric && menu}
      <WidthHandle column={column} onWidth={onWidth} />
    </div>
  )
}

function ariaSort(direction: OrderTerm['direction'] | undefined) {
  if (direction === undefined) return 'none'
  return direction === 'asc' ? 'ascending' : 'descending'
}

const KEY_STEP = 16

/** The edge of a column, which can be dragged or moved by arrow keys. */
function WidthHandle({ column, onWidth }: Pick<ColumnActions, 'onWidth'> & { column: Column }) {
  const start = useRef<{ readonly x: number; readonly width: number }>(undefined)
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width: column.width }
  }
  const onPointerMove = (event: PointerEvent) => {
    if (start.current === undefined) return
    onWidth(column.name, start.current.width + event.clientX - start.current.x)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key]
    if (step === undefined) return
    event.preventDefault()
    onWidth(column.name, column.width + step)
  }
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${column.name}`}
      aria-valuenow={column.width}
      aria-valuemin={MIN_WIDTH}
      className={styles.handle}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={onKeyDown}
    />
  )
}
