import { memo } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import type { ObjectRecord } from '../api/records.ts'
import { type Titles, titleIn } from '../queries/linked-titles.ts'
import { formatValue, localTime } from '../ui/format-value.ts'
import { LinkedText } from '../ui/linked-text.tsx'
import { type Column, type ColumnLink, fitsInto } from './columns.ts'
import styles from './grid.module.css'

export interface GridRowProps {
  readonly row: number
  readonly top: number
  readonly columns: readonly Column[]
  /** Undefined while the row is being loaded, and after it has left memory. */
  readonly record: ObjectRecord | undefined
  /** True if the page of the row has arrived. */
  readonly wasRead: boolean
  readonly primaryKey: string
  /** The titles of linked objects. */
  readonly titles: Titles
  /** The number of the page that ends with this row. */
  readonly endsPage: number | undefined
  /** The column of the active cell, if it is in this row. */
  readonly activeColumn: number | undefined
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, top, columns, record, wasRead, primaryKey, titles, endsPage, activeColumn } = props
  const classes = [styles.row, styles.dataRow, endsPage === undefined ? '' : styles.pageEnd].join(
    ' ',
  )
  return (
    <div role="row" tabIndex={-1} aria-rowindex={row + 2} className={classes} style={{ top }}>
      {columns.map((column, index) => (
        <Cell
          key={column.name}
          column={column}
          index={index}
          value={record?.properties[column.name]}
          isLoaded={record !== undefined}
          wasRead={wasRead}
          isKey={column.name === primaryKey}
          isActive={activeColumn === index}
          titles={titles}
        />
      ))}
      {endsPage !== undefined && (
        <span className={styles.pageMark} aria-hidden="true">
          page {endsPage} ends
        </span>
      )}
    </div>
  )
})

interface CellProps {
  readonly column: Column
  readonly index: number
  readonly value: unknown
  readonly isLoaded: boolean
  readonly wasRead: boolean
  readonly isKey: boolean
  readonly isActive: boolean
  readonly titles: Titles
}

function Cell(props: CellProps) {
  const { column, index, value, isLoaded, wasRead, isKey, isActive, titles } = props
  const isEvicted = wasRead && !isLoaded
  const { width, isNumeric } = column
  const text = isLoaded ? textOf(value, column) : undefined
  const classes = [
    styles.cell,
    isNumeric ? styles.numeric : '',
    isKey ? styles.key : '',
    isActive ? styles.active : '',
    isLoaded || wasRead ? '' : styles.pending,
    isEvicted && index === 0 ? styles.evicted : '',
    mayBeCut(text, column, isKey) ? styles.cut : '',
  ].join(' ')
  return (
    <div
      role="gridcell"
      aria-colindex={index + 1}
      tabIndex={isActive ? 0 : undefined}
      className={classes}
      style={{ width }}
    >
      {isEvicted ? (
        index === 0 && 'left memory; start again to read it'
      ) : isLoaded && text === undefined ? (
        <span className={styles.missing}>–</span>
      ) : column.link !== undefined && text !== undefined ? (
        <CellLink link={column.link} value={String(value)} isKey={isKey} titles={titles}>
          {text}
        </CellLink>
      ) : text !== undefined ? (
        <LinkedText text={text} tabIndex={-1} />
      ) : undefined}
    </div>
  )
}

/** The titles of linked objects arrive later, and shrink on their own. */
function mayBeCut(text: string | undefined, { width, link }: Column, isKey: boolean): boolean {
  return text !== undefined && ((link !== undefined && !isKey) || !fitsInto(text, width))
}

/** Marks the link to the object of a row, which is opened with the list that it is in. */
export const OPENS_ROW = 'data-opens-row'

interface CellLinkProps {
  readonly link: ColumnLink
  readonly value: string
  readonly isKey: boolean
  readonly titles: Titles
  /** The key as text. */
  readonly children: string
}

function CellLink({ link, value, isKey, titles, children: key }: CellLinkProps) {
  const href = `${BASE_PATH}${link.to}/${encodeURIComponent(value)}`
  if (isKey) {
    return (
      <a href={href} tabIndex={-1} {...{ [OPENS_ROW]: '' }}>
        {key}
      </a>
    )
  }
  const title = titleIn(titles, { type: link.type, key: value })
  return title === undefined ? (
    <a href={href} tabIndex={-1}>
      {key} ›
    </a>
  ) : (
    <span className={styles.linked}>
      <a href={href} tabIndex={-1} className={styles.ellipsis}>
        {title}
      </a>{' '}
      <span className={styles.linkedKey}>{key}</span>
    </span>
  )
}

function textOf(value: unknown, { definition, style }: Column): string | undefined {
  return formatValue(value, definition, style)
}

/** Returns the tooltip of a cell: its full text, or the local time of a timestamp. */
export function titleOf(column: Column, record: ObjectRecord | undefined): string | undefined {
  const value = record?.properties[column.name]
  const text = textOf(value, column)
  return column.definition.type === 'timestamp' && text ? localTime(String(value)) : text
}
