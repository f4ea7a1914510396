import { memo, type ReactNode } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import type { ObjectRecord } from '../api/ontology.ts'
import { type Titles, titleIn } from '../queries/linked-titles.ts'
import { formatValue, localTime } from '../ui/format-value.ts'
import { LinkedText } from '../ui/linked-text.tsx'
import { type Column, fitsInto } from './columns.ts'

export interface GridRowProps {
  readonly row: number
  readonly top: number
  readonly columns: readonly Column[]
  /** Undefined while the row is being loaded, and after it has left memory. */
  readonly record: ObjectRecord | undefined
  /** True if the object has changed since the rows were read before. */
  readonly isMarked: boolean
  /** True if the page of the row has arrived. */
  readonly wasRead: boolean
  readonly primaryKey: string
  /** The titles of linked objects. */
  readonly titles: Titles
  /** The number of the page that ends with this row. */
  readonly endsPage: number | undefined
  /** The column of the active cell, if it is in this row. */
  readonly activeColumn: number | undefined
  /** The first and the last column whose cells are selected in this row. */
  readonly selectedFrom: number | undefined
  readonly selectedTo: number | undefined
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, top, columns, endsPage, isMarked } = props
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={row + 2}
      className={`group/row absolute left-0 flex w-full h-8 hover:bg-raised ${isMarked ? 'bg-accent-bg' : ''} ${endsPage === undefined ? '' : '[border-bottom:1px_dashed_var(--color-edge)]'}`}
      style={{ top }}
    >
      {columns.map((column, index) => (
        <Cell key={column.name} row={props} column={column} index={index} />
      ))}
      {endsPage !== undefined && (
        <span
          className="sticky right-3 z-1 self-end ml-auto px-2 translate-y-1/2 rounded-lg bg-raised text-muted text-xs leading-4 whitespace-nowrap"
          aria-hidden="true"
        >
          page {endsPage} ends
        </span>
      )}
    </div>
  )
})

const CELL = 'flex-none px-2 text-base leading-8 whitespace-nowrap cursor-default'
const PINNED = 'sticky z-1 group-hover/row:not-aria-selected:bg-raised'
/** The line beside the columns that stay, which others disappear behind. */
const EDGE =
  'after:absolute after:inset-y-0 after:right-0 after:w-px after:bg-line after:pointer-events-none'
/** A long key does not cover the other columns of a narrow screen. */
const KEY = 'max-[700px]:max-w-[55vw] max-[700px]:overflow-hidden max-[700px]:text-ellipsis'
const MARKED = 'shadow-[inset_3px_0_0_var(--color-accent)]'
const PENDING =
  'before:visible before:inline-block before:w-3/5 before:h-2 before:rounded-sm before:bg-raised before:[animation:late_0s_100ms_backwards]'

interface CellProps {
  readonly row: GridRowProps
  readonly column: Column
  readonly index: number
}

function Cell({ row, column, index }: CellProps) {
  const { record, wasRead, activeColumn } = row
  const { name, width, isNumeric, link, left } = column
  const isEvicted = wasRead && record === undefined
  const isKey = name === row.primaryKey
  const isActive = activeColumn === index
  const isSelected =
    row.selectedFrom !== undefined &&
    index >= row.selectedFrom &&
    index <= (row.selectedTo ?? row.selectedFrom)
  const text = textOf(record, column)
  // The titles of linked objects arrive later, and shrink on their own.
  const mayBeCut = text !== undefined && (link?.isOwn === false || !fitsInto(text, width))
  const classes = [
    CELL,
    // Only numbers: tabular figures of the font widen hyphens, which texts have.
    isNumeric && 'text-right tabular-nums',
    left !== undefined && PINNED,
    isSelected && 'bg-accent-bg',
    left !== undefined && !isSelected && (row.isMarked ? 'bg-accent-bg' : 'bg-panel'),
    column.isEdge && EDGE,
    isKey && KEY,
    isKey && row.isMarked && MARKED,
    // The cells beside the note are empty, so that it may run over them.
    isEvicted ? 'text-muted' : isKey && 'font-medium',
    isActive && 'outline-2 -outline-offset-2 outline-accent',
    record === undefined && !wasRead && PENDING,
    mayBeCut && 'overflow-hidden text-ellipsis',
  ]
  return (
    <div
      role="gridcell"
      aria-colindex={index + 1}
      aria-selected={isSelected || undefined}
      tabIndex={isActive ? 0 : undefined}
      className={classes.filter(Boolean).join(' ')}
      style={{ width, left }}
    >
      {isEvicted && index === 0 && 'left memory; start again to read it'}
      {record !== undefined && contentOf(text, row, column)}
      {isKey && row.isMarked && <span className="sr-only"> changed</span>}
    </div>
  )
}

/** Marks the link to the object of a row, which is opened with the list that it is in. */
export const OPENS_ROW = 'data-opens-row'

function contentOf(text: string | undefined, row: GridRowProps, column: Column): ReactNode {
  const { name, link } = column
  if (text === undefined) return <span className="text-muted">–</span>
  if (link === undefined) return <LinkedText text={text} tabIndex={-1} />
  const key = String(row.record?.properties[link.isOwn ? row.primaryKey : name])
  const title = link.isOwn ? undefined : titleIn(row.titles, { type: link.type, key })
  const address = {
    href: `${BASE_PATH}${link.to}/${encodeURIComponent(key)}`,
    tabIndex: -1,
    // A drag selects cells.
    draggable: false,
    ...(link.isOwn && { [OPENS_ROW]: '' }),
  }
  if (title === undefined) return <a {...address}>{link.isOwn ? text : `${text} ›`}</a>
  return (
    <span className="flex gap-1.5 items-baseline">
      <a {...address} className="overflow-hidden text-ellipsis">
        {title}
      </a>{' '}
      <span className="text-muted text-sm">{text}</span>
    </span>
  )
}

function textOf(record: ObjectRecord | undefined, column: Column): string | undefined {
  return formatValue(record?.properties[column.name], column.definition, column.style)
}

/** Returns the tooltip of a cell: its full text, or the local time of a timestamp. */
export function titleOf(column: Column, record: ObjectRecord | undefined): string | undefined {
  const text = textOf(record, column)
  const isTime = column.definition.type === 'timestamp' && text
  return isTime ? localTime(String(record?.properties[column.name])) : text
}
