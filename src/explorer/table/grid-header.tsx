/** The heads of the columns, each with its menu. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { Icon } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { type Column, columnsToKeep, isSortable, MIN_WIDTH, moveColumn } from './columns.ts'
import { orderOf, toggleOrder } from './order-terms.ts'
import { type ColumnDrag, useColumnDrag } from './use-column-drag.ts'
import { useObjects } from './use-objects.ts'

export interface GridHeaderProps {
  readonly columns: readonly Column[]
  readonly onWidth: (column: string, width: number) => void
}

export function GridHeader(props: GridHeaderProps & { readonly grid: RefObject<Element | null> }) {
  const { columns, onWidth, grid } = props
  const { of, setView } = useObjects()
  const { drag, handlersOf } = useColumnDrag(({ name, to }) => {
    const names = moveColumn(columns, name, to)
    setView({ columns: columnsToKeep(of.objectType, names) }, { replace: true })
  })
  return (
    <div role="rowgroup" className="sticky top-0 z-2 bg-panel border-b border-line">
      <div role="row" tabIndex={-1} aria-rowindex={1} className="flex h-8 select-none">
        {columns.map((column, index) => (
          <HeaderCell
            key={column.name}
            {...{ column, columns, index, onWidth }}
            dragging={column.left === 0 ? undefined : handlersOf(column.name)}
            mark={drag && markOf(drag, columns, index)}
            onFit={() => {
              if (grid.current) onWidth(column.name, fitWidth(grid.current, index))
            }}
          />
        ))}
      </div>
    </div>
  )
}

const DRAGGED = 'opacity-50'
const BEFORE = 'shadow-[inset_2px_0_0_var(--color-accent)]'
const AFTER = 'shadow-[inset_-2px_0_0_var(--color-accent)]'

/** Marks the column that is dragged, and the edge at which it would be dropped. */
function markOf({ name, to }: ColumnDrag, columns: readonly Column[], index: number): string {
  const names = columns.map((column) => column.name)
  if (names[index] === name) return DRAGGED
  const [from, at] = [names.indexOf(name), moveColumn(columns, name, to).indexOf(name)]
  if (at === from || at !== index) return ''
  return at > from ? AFTER : BEFORE
}

interface HeaderCellProps extends GridHeaderProps {
  readonly column: Column
  readonly index: number
  /** What moves the column by its name; the key stays where it is. */
  readonly dragging: ReturnType<ReturnType<typeof useColumnDrag>['handlersOf']> | undefined
  /** The classes of a column that is dragged, or that another would be dropped beside. */
  readonly mark: string | undefined
  readonly onFit: () => void
}

const SORTS = { asc: 'ascending', desc: 'descending' } as const

function HeaderCell(props: HeaderCellProps) {
  const { column, columns, index, dragging, mark = '', onWidth, onFit } = props
  const { of, setView } = useObjects()
  const { order } = of.view
  const { name, definition, width, isNumeric, left } = column
  const term = orderOf(order, name)
  const text = nameOfProperty(name, definition)
  const place =
    left === undefined
      ? 'relative'
      : `sticky z-1 bg-panel ${left === 0 ? 'max-[700px]:max-w-[55vw]' : ''}`
  const menu = (
    <Popup
      kind="quiet"
      className="w-4.5 min-h-6 p-0 align-middle opacity-0 group-hover/head:opacity-100 group-focus-within/head:opacity-100 pointer-coarse:opacity-100"
      label={<Icon name="more" size={14} />}
      tabIndex={-1}
      aria-label={`Column ${name}`}
      panelLabel={`Column ${name}`}
    >
      {(close) => <ColumnMenu {...{ column, columns, onFit, close }} />}
    </Popup>
  )
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index + 1}
      aria-sort={term === undefined ? 'none' : SORTS[term.direction]}
      className={`group/head flex flex-none items-center px-2 overflow-hidden text-ellipsis text-muted text-sm leading-8 whitespace-nowrap ${place} ${mark} ${isNumeric ? 'text-right' : ''}`}
      style={{ width, left }}
      title={`${name}: ${definition.type}${definition.description ? ` – ${definition.description}` : ''}`}
      onKeyDown={(event) => {
        if (event.shiftKey) resizeByKey(event, props)
      }}
    >
      {/* Beside the name, not over it. Names of numbers stand at the right, above their numbers. */}
      {isNumeric && menu}
      {isSortable(definition) ? (
        <button
          type="button"
          tabIndex={-1}
          className={`flex flex-1 items-center gap-1 min-w-0 h-full p-0 border-0 bg-transparent text-sm cursor-pointer ${isNumeric ? 'justify-end' : ''}`}
          onClick={({ shiftKey }) => setView({ order: toggleOrder(order, name, shiftKey) })}
          {...dragging}
        >
          <span data-name className="overflow-hidden text-ellipsis">
            {text}
          </span>
          {term !== undefined && (
            <>
              <Icon name={term.direction === 'asc' ? 'up' : 'down'} size={12} />
              {order.length > 1 && <sup>{term.rank}</sup>}
            </>
          )}
        </button>
      ) : (
        <span data-name className="flex-1 overflow-hidden text-ellipsis" {...dragging}>
          {text}
        </span>
      )}
      {!isNumeric && menu}
      <WidthHandle {...{ column, onWidth, onFit }} />
    </div>
  )
}

const KEY_STEP = 16

/** Makes a column narrower or wider by the arrow keys. */
function resizeByKey(
  event: KeyboardEvent,
  { column, onWidth }: Pick<HeaderCellProps, 'column' | 'onWidth'>,
): void {
  const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key]
  if (step === undefined) return
  event.preventDefault()
  event.stopPropagation()
  onWidth(column.name, column.width + step)
}

/**
 * The edge of a column, which can be dragged or moved by arrow keys. A double click, or Enter, fits the
 * column to its values.
 */
function WidthHandle(props: Pick<HeaderCellProps, 'column' | 'onWidth' | 'onFit'>) {
  const { column, onWidth, onFit } = props
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
    if (event.key === 'Enter') onFit()
    else resizeByKey(event, props)
  }
  return (
    <div
      role="separator"
      tabIndex={-1}
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
      onDoubleClick={onFit}
      onKeyDown={onKeyDown}
    />
  )
}

/** Room for the padding of a cell, and a pixel that rounding may take. */
const CELL_EXTRA = 17
/** Room for the padding of a head, the arrow of the order, and the menu. */
const HEAD_EXTRA = 56
/** The space between the parts of a cell. */
const GAP = 6

/** Returns the width at which a column cuts neither its name nor a rendered value. */
function fitWidth(grid: Element, columnIndex: number): number {
  const at = `[aria-colindex="${columnIndex + 1}"]`
  const name = grid.querySelector(`[role="columnheader"]${at} [data-name]`)
  const cells = [...grid.querySelectorAll(`[role="gridcell"]${at}`)]
  const widths = cells.map((cell) => textWidth(cell) + CELL_EXTRA)
  return Math.ceil(Math.max(name === null ? 0 : textWidth(name) + HEAD_EXTRA, ...widths))
}

/** Texts are laid out in full, also where the element that they are in is narrower. */
function textWidth(element: Element): number {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  let width = 0
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.nodeValue?.trim() === '' || text.parentElement?.matches('.sr-only')) continue
    range.selectNodeContents(text)
    width += range.getBoundingClientRect().width + (width > 0 ? GAP : 0)
  }
  return width
}
