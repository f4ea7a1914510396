/** The numbers of a chart as a table, with totals. */
import { ALL } from './axis.ts'
import { changeOf } from './chart-parts.tsx'
import { type DrawnChart, type FormProps, filtersOf, type Line } from './drawn-chart.ts'
import type { Value } from './measures.ts'

const CELL = 'py-1 px-3 text-right tabular-nums whitespace-nowrap'
const HEAD = 'sticky top-0 py-1.5 px-3 bg-panel font-medium text-muted text-sm whitespace-nowrap'

type PivotProps = Pick<FormProps, 'drawn' | 'onFilter'>

export function PivotTable({ drawn, onFilter }: PivotProps) {
  const { title, rows, columns, axis, axisName, columnsName, isCompared, isShare } = drawn
  const hasColumns = columns.length > 1 || columns[0]?.place !== ALL
  // The parts of a row that is shown as shares are always the whole.
  const hasTotals = hasColumns && !isCompared && !isShare
  const total: Line = { label: 'Total', short: 'Total', kind: 'value', filters: [], place: ALL }
  const shown = hasTotals ? [...columns, total] : columns
  const lines = axis === undefined || isShare ? rows : [...rows, total]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className="max-h-130 overflow-auto" tabIndex={0} aria-label={`${title}, as a table`}>
      <table className="border-collapse text-base leading-5">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-b border-line">
            <th scope="col" className={`${HEAD} left-0 z-1 text-left`}>
              {axisName}
              {columnsName !== undefined && ` \\ ${columnsName}`}
            </th>
            {shown.map((column) => (
              <th
                key={column.place}
                scope="col"
                className={`${HEAD} max-w-50 truncate text-right`}
                title={column.label}
              >
                {column.label === '' ? title.split(' by ')[0] : column.label}
              </th>
            ))}
            {isCompared && (
              <th scope="col" className={`${HEAD} text-right`}>
                change
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.map((row) => (
            <tr
              key={row.place}
              className={`border-b border-line hover:bg-raised ${row.place === ALL && axis !== undefined ? 'font-semibold' : ''}`}
            >
              <th
                scope="row"
                className={`sticky left-0 bg-panel py-1 px-3 max-w-75 truncate text-left font-normal ${row.kind === 'value' ? '' : 'text-muted'}`}
                title={row.label}
              >
                {row.label}
              </th>
              {shown.map((column) => (
                <Cell key={column.place} {...{ drawn, row, column, onFilter }} />
              ))}
              {isCompared && <td className={`${CELL} text-muted`}>{changeOf(drawn, row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface CellProps extends PivotProps {
  readonly row: Line
  readonly column: Line
}

function Cell({ drawn, row, column, onFilter }: CellProps) {
  const value: Value = drawn.valueAt(row.place, column.place)
  const filters = row.place === ALL && column.place === ALL ? undefined : filtersOf(row, column)
  const text = drawn.format(value)
  const canFilter = onFilter !== undefined && filters !== undefined && filters.length > 0
  return (
    <td className={CELL}>
      {canFilter && value !== undefined ? (
        <button
          type="button"
          className="p-0 border-0 bg-transparent tabular-nums cursor-pointer hover:text-accent hover:underline"
          title="Filter for these objects"
          onClick={() => onFilter(filters)}
        >
          {text}
        </button>
      ) : (
        <span className={value === undefined ? 'text-muted' : ''}>{text}</span>
      )}
    </td>
  )
}

/** True if a chart has nothing to show. */
export function isEmpty({ rows, axis }: DrawnChart): boolean {
  return axis !== undefined && rows.length === 0
}
