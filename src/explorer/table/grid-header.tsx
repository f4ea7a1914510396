import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { Icon, type IconName } from '../ui/button.tsx'
import { Popup } from '../ui/dialog.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { Filter, OrderTerm } from '../view/view-state.ts'
import { type Column, isSortable, MIN_WIDTH } from './columns.ts'
import { FilterForm } from './filter-form.tsx'
import styles from './grid.module.css'
import { addTerm, orderOf, toggleOrder } from './order-terms.ts'

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

interface ColumnMenuProps {
  readonly of: TypeView
  readonly column: Column
  readonly order: readonly OrderTerm[]
  readonly onOrder: (order: readonly OrderTerm[]) => void
  readonly onNewFilter: (filter: Filter) => void
  readonly onHide: (column: string) => void
}

function ColumnMenu(props: ColumnMenuProps) {
  return (
    <Popup
      kind="quiet"
      className="w-4.5 min-h-6 p-0 align-middle opacity-0 focus-visible:opacity-100 hover:opacity-100 pointer-coarse:opacity-100"
      label={<Icon name="more" size={14} />}
      aria-label={`Column ${props.column.name}`}
      panelLabel={`Column ${props.column.name}`}
    >
      {(close) => <Items {...props} close={close} />}
    </Popup>
  )
}

function Items(props: ColumnMenuProps & { readonly close: () => void }) {
  const { of, column, order, onOrder, onNewFilter, onHide, close } = props
  const { name, definition } = column
  const [isFiltering, setFiltering] = useState(false)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  if (isFiltering) {
    const save = (filter: Filter) => then(() => onNewFilter(filter))()
    return <FilterForm of={of} filter={undefined} field={name} onSave={save} />
  }
  const others = order.filter(({ property }) => property !== name)
  const canSort = isSortable(definition)
  const canAdd = canSort && others.length > 0
  const isSorted = canSort && orderOf(order, name) !== undefined
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) =>
    then(() => onOrder(addTerm(order, { property: name, direction }, isAdded)))
  const items: readonly (readonly [isShown: boolean, IconName, text: string, act: () => void])[] = [
    [canSort, 'up', 'Sort up', sort('asc', false)],
    [canSort, 'down', 'Sort down', sort('desc', false)],
    [canAdd, 'up', 'Then sort up', sort('asc', true)],
    [canAdd, 'down', 'Then sort down', sort('desc', true)],
    [isSorted, 'close', 'Do not sort', then(() => onOrder(others))],
    [true, 'filter', 'Filter…', () => setFiltering(true)],
    [name !== of.objectType.primaryKey, 'columns', 'Hide', then(() => onHide(name))],
  ]
  return (
    <div className="grid min-w-40 -m-1.5">
      {items.map(
        ([isShown, icon, text, act]) =>
          isShown && (
            <button
              key={text}
              type="button"
              className="flex items-center gap-2 min-h-7.5 px-2 border-0 rounded-sm bg-transparent text-base text-left cursor-pointer hover:bg-accent-bg focus-visible:bg-accent-bg"
              onClick={act}
            >
              <Icon name={icon} size={14} /> {text}
            </button>
          ),
      )}
    </div>
  )
}
