import { memo } from 'react'
import type { ObjectRecord } from '../api/records.ts'
import { formatValue, localTime } from '../ui/format-value.ts'
import type { Column } from './columns.ts'
import styles from './grid.module.css'

export interface GridRowProps {
  readonly row: number
  readonly top: number
  readonly columns: readonly Column[]
  /** Undefined while the row is being loaded. */
  readonly record: ObjectRecord | undefined
  readonly primaryKey: string
  /** The number of the page that ends with this row. */
  readonly endsPage: number | undefined
  /** The column of the active cell, if it is in this row. */
  readonly activeColumn: number | undefined
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, top, columns, record, primaryKey, endsPage, activeColumn } = props
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
          isKey={column.name === primaryKey}
          isActive={activeColumn === index}
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
  readonly isKey: boolean
  readonly isActive: boolean
}

function Cell({ column, index, value, isLoaded, isKey, isActive }: CellProps) {
  const { definition, width, isNumeric } = column
  const text = isLoaded ? formatValue(value, definition, { isKey }) : undefined
  const classes = [
    styles.cell,
    isNumeric ? styles.numeric : '',
    isKey ? styles.key : '',
    isActive ? styles.active : '',
    isLoaded ? '' : styles.pending,
  ].join(' ')
  return (
    <div
      role="gridcell"
      aria-colindex={index + 1}
      tabIndex={isActive ? 0 : -1}
      data-cell={`${index}`}
      className={classes}
      style={{ width }}
    >
      {isLoaded && text === undefined ? (
        <span className={styles.missing}>–</span>
      ) : column.linkTo !== undefined && text !== undefined ? (
        <a href={`${column.linkTo}/${encodeURIComponent(String(value))}`} tabIndex={-1}>
          {text} ›
        </a>
      ) : (
        text
      )}
    </div>
  )
}

/** Returns the whole text of a cell, which may be cut; of a moment, its local time. */
export function titleOf(
  { name, definition }: Column,
  record: ObjectRecord | undefined,
  primaryKey: string,
): string | undefined {
  const value = record?.properties[name]
  const text = formatValue(value, definition, { isKey: name === primaryKey })
  return definition.type === 'timestamp' && text ? localTime(String(value)) : text
}
