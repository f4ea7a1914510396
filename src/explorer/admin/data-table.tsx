/** A table that becomes cards on a narrow screen. The first column names the row. */
import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  readonly name: string
  readonly kind?: 'text' | 'number' | 'action'
  readonly render: (row: Row) => ReactNode
}

export interface DataTableProps<Row> {
  readonly label?: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly isEnded?: (row: Row) => boolean
  readonly columns: readonly DataColumn<Row>[]
}

const CELL =
  'py-2 px-3 border-b border-line align-baseline [tbody>tr:last-child>&]:border-b-0 max-[720px]:py-0.5 max-[720px]:px-0 max-[720px]:border-b-0'
const LABELLED =
  'max-[720px]:grid max-[720px]:grid-cols-[112px_1fr] max-[720px]:gap-2 max-[720px]:before:content-[attr(data-label)] max-[720px]:before:text-muted max-[720px]:before:text-sm'
const KINDS = {
  text: `text-left ${LABELLED}`,
  number: `text-right tabular-nums max-[720px]:text-left ${LABELLED}`,
  action: 'text-right whitespace-nowrap max-[720px]:block max-[720px]:pt-2 max-[720px]:text-left',
} as const

export function DataTable<Row>({ label, rows, keyOf, isEnded, columns }: DataTableProps<Row>) {
  return (
    <table
      className="w-full border border-line border-separate [border-spacing:0] rounded-lg bg-panel text-base leading-5 max-[720px]:block"
      aria-label={label}
    >
      <thead className="max-[720px]:sr-only">
        <tr>
          {columns.map(({ name, kind = 'text' }) => (
            <th
              key={name}
              scope="col"
              className={`py-2 px-3 border-b border-line align-baseline text-muted text-sm font-normal ${kind === 'number' ? 'text-right tabular-nums' : 'text-left'}`}
            >
              {kind === 'action' ? <span className="sr-only">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-[720px]:block">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className={`max-[720px]:block max-[720px]:p-3 max-[720px]:not-last:border-b max-[720px]:border-line ${isEnded?.(row) ? 'text-muted' : ''}`}
          >
            {columns.map(({ name, kind = 'text', render }, index) =>
              index === 0 ? (
                <th
                  key={name}
                  scope="row"
                  className={`${CELL} text-left font-semibold wrap-anywhere max-[720px]:block`}
                >
                  {render(row)}
                </th>
              ) : (
                <td
                  key={name}
                  className={`${CELL} ${KINDS[kind]}`}
                  data-label={kind === 'action' ? undefined : name}
                >
                  {render(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
