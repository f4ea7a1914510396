import { Link } from '@tanstack/react-router'
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
  readonly isPageEnd: boolean
  /** The column of the active cell, if it is in this row. */
  readonly activeColumn: number | undefined
  readonly onActivate: (cell: { readonly row: number; readonly column: number }) => void
  readonly onOpen: (row: number) => void
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, top, columns, record, primaryKey, isPageEnd, activeColumn } = props
  const classes = [styles.row, styles.dataRow, isPageEnd ? styles.pageEnd : ''].join(' ')
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={row + 2}
      className={classes}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map((column, index) => (
        <Cell
          key={column.name}
          column={column}
          index={index}
          value={record?.properties[column.name]}
          isLoaded={record !== undefined}
          isKey={column.name === primaryKey}
          isActive={activeColumn === index}
          onActivate={() => props.onActivate({ row, column: index })}
          onOpen={() => props.onOpen(row)}
        />
      ))}
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
  readonly onActivate: () => void
  readonly onOpen: () => void
}

function Cell({ column, index, value, isLoaded, isKey, isActive, onActivate, onOpen }: CellProps) {
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all cells
    <div
      role="gridcell"
      aria-colindex={index + 1}
      tabIndex={isActive ? 0 : -1}
      data-cell={`${index}`}
      className={classes}
      style={{ width }}
      title={definition.type === 'timestamp' && text ? localTime(String(value)) : text}
      onClick={onActivate}
      onDoubleClick={onOpen}
    >
      {isLoaded && text === undefined ? (
        <span className={styles.missing}>–</span>
      ) : column.linkTo !== undefined && text !== undefined ? (
        <Link to={`${column.linkTo}/${encodeURIComponent(String(value))}` as '/'} tabIndex={-1}>
          {text} ›
        </Link>
      ) : (
        text
      )}
    </div>
  )
}
