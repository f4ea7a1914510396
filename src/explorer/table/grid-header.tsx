/** The heads of the columns, each with its menu. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { FilterForm } from '../filters/filter-form.tsx'
import { Icon, type IconName } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { lazyView } from '../ui/lazy-part.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import { replaceFilters } from '../view/type-view.ts'
import type { Filter, OrderTerm } from '../view/view-state.ts'
import { type Column, isSortable, MIN_WIDTH } from './columns.ts'
import { addTerm, orderOf, toggleOrder } from './order-terms.ts'
import { useObjects } from './use-objects.ts'

// Loaded when the first menu is opened.
const ColumnProfile = lazyView(
  'column',
  async () => (await import('../charts/column-profile.tsx')).ColumnProfile,
)

export interface GridHeaderProps {
  readonly columns: readonly Column[]
  readonly onWidth: (column: string, width: number) => void
}

export function GridHeader({ columns, onWidth }: GridHeaderProps) {
  return (
    <div role="rowgroup" className="sticky top-0 z-2 bg-panel border-b border-line">
      <div role="row" tabIndex={-1} aria-rowindex={1} className="flex h-8">
        {columns.map((column, index) => (
          <HeaderCell key={column.name} {...{ column, columns, index, onWidth }} />
        ))}
      </div>
    </div>
  )
}

interface HeaderCellProps extends GridHeaderProps {
  readonly column: Column
  readonly index: number
}

const SORTS = { asc: 'ascending', desc: 'descending' } as const

function HeaderCell({ column, columns, index, onWidth }: HeaderCellProps) {
  const { of, setView } = useObjects()
  const { order } = of.view
  const { name, definition, width, isNumeric } = column
  const term = orderOf(order, name)
  const text = nameOfProperty(name, definition)
  const place =
    name === of.objectType.primaryKey
      ? 'sticky left-0 z-1 bg-panel max-[700px]:max-w-[55vw]'
      : 'relative'
  const menu = (
    <Popup
      kind="quiet"
      className="w-4.5 min-h-6 p-0 align-middle opacity-0 group-hover/head:opacity-100 group-focus-within/head:opacity-100 pointer-coarse:opacity-100"
      label={<Icon name="more" size={14} />}
      aria-label={`Column ${name}`}
      panelLabel={`Column ${name}`}
    >
      {(close) => <MenuItems column={column} columns={columns} close={close} />}
    </Popup>
  )
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index + 1}
      aria-sort={term === undefined ? 'none' : SORTS[term.direction]}
      className={`group/head flex flex-none items-center px-2 overflow-hidden text-ellipsis text-muted text-sm leading-8 whitespace-nowrap ${place} ${isNumeric ? 'text-right' : ''}`}
      style={{ width }}
      title={`${name}: ${definition.type}${definition.description ? ` – ${definition.description}` : ''}`}
    >
      {/* Beside the name, not over it. Names of numbers stand at the right, above their numbers. */}
      {isNumeric && menu}
      {isSortable(definition) ? (
        <button
          type="button"
          className={`flex flex-1 items-center gap-1 min-w-0 h-full p-0 border-0 bg-transparent text-sm cursor-pointer ${isNumeric ? 'justify-end' : ''}`}
          onClick={({ shiftKey }) => setView({ order: toggleOrder(order, name, shiftKey) })}
        >
          <span className="overflow-hidden text-ellipsis">{text}</span>
          {term !== undefined && (
            <>
              <Icon name={term.direction === 'asc' ? 'up' : 'down'} size={12} />
              {order.length > 1 && <sup>{term.rank}</sup>}
            </>
          )}
        </button>
      ) : (
        <span className="flex-1 overflow-hidden text-ellipsis">{text}</span>
      )}
      {!isNumeric && menu}
      <WidthHandle column={column} onWidth={onWidth} />
    </div>
  )
}

interface MenuItemsProps extends Pick<HeaderCellProps, 'column' | 'columns'> {
  readonly close: () => void
}

/** The menu of a column: order, filter, chart, hide; and what its values are like. */
function MenuItems({ column: { name, definition }, columns, close }: MenuItemsProps) {
  const { of, counted, canCount, view: shown, setView } = useObjects()
  const { order } = of.view
  const [isFiltering, setFiltering] = useState(false)
  if (isFiltering)
    return <FilterForm {...{ of: counted, canCount, view: shown, setView, close }} field={name} />
  const change = (view: Parameters<typeof setView>[0], replace = false) => {
    close()
    setView(view, { replace })
  }
  const others = order.filter(({ property }) => property !== name)
  const canSort = isSortable(definition)
  const canAdd = canSort && others.length > 0
  const isSorted = canSort && orderOf(order, name) !== undefined
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) => () =>
    change({ order: addTerm(order, { property: name, direction }, isAdded) })
  const hide = () => {
    const shown = columns.map((column) => column.name).filter((each) => each !== name)
    change({ columns: shown }, true)
  }
  const chart = () => {
    const by = [{ path: name, step: undefined }]
    change({ layout: 'charts', chart: { ...DEFAULT_CHART, by } })
  }
  const filter = (filters: readonly Filter[]) => change(replaceFilters(of.view, filters))
  const items: readonly (readonly [isShown: boolean, IconName, text: string, act: () => void])[] = [
    [canSort, 'up', 'Sort up', sort('asc', false)],
    [canSort, 'down', 'Sort down', sort('desc', false)],
    [canAdd, 'up', 'Then sort up', sort('asc', true)],
    [canAdd, 'down', 'Then sort down', sort('desc', true)],
    [isSorted, 'close', 'Do not sort', () => change({ order: others })],
    [true, 'filter', 'Filter…', () => setFiltering(true)],
    [definition.type !== 'struct', 'chart', 'Chart by this column', chart],
    [name !== of.objectType.primaryKey, 'columns', 'Hide', hide],
  ]
  return (
    <div className="grid w-70 text-left max-h-[75vh] -m-1.5 overflow-auto">
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
      <div className="mt-1.5 pt-2 px-2 pb-1 border-t border-line">
        <ColumnProfile of={counted} property={name} canCount={canCount} onFilter={filter} />
      </div>
    </div>
  )
}

const KEY_STEP = 16

/** The edge of a column, which can be dragged or moved by arrow keys. */
function WidthHandle({ column, onWidth }: Pick<HeaderCellProps, 'column' | 'onWidth'>) {
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
      className="absolute inset-y-1.5 right-0 w-1.75 border-r border-line cursor-col-resize touch-none hover:border-r-2 hover:border-accent focus-visible:border-r-2 focus-visible:border-accent"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={onKeyDown}
    />
  )
}
