/** The first rows of a file, under a head that says what becomes of each column. */
import type { ReactNode } from 'react'
import { excerptOf } from '../../formats/row.ts'
import styles from './load.module.css'
import type { FileReport } from './messages.ts'

const SHOWN_ROWS = 6

export interface PreviewColumn {
  readonly key: string
  /** The columns of the file; a geopoint can have two. */
  readonly sources: readonly string[]
  readonly head: ReactNode
  readonly isSkipped: boolean
  readonly misfits: number
}

export interface PreviewTableProps {
  readonly columns: readonly PreviewColumn[]
  readonly report: FileReport
}

export function PreviewTable({ columns, report }: PreviewTableProps) {
  return (
    <section
      className="max-h-85 overflow-auto border border-line rounded-md"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what overflows
      tabIndex={0}
      aria-label="First rows of the file"
    >
      <table
        className={`w-full border-separate [border-spacing:0] text-base leading-5 ${styles.table}`}
      >
        <thead>
          <tr>
            <th scope="col" className="w-[1%] text-muted tabular-nums text-right">
              <span className="label">line</span>
            </th>
            {columns.map(({ key, head, isSkipped, misfits }) => (
              <th key={key} scope="col" data-skipped={isSkipped} data-bad={misfits > 0}>
                <div className={`grid gap-1.5 ${styles.columnHead}`}>
                  {head}
                  {misfits > 0 && (
                    <span className="mistake">
                      {misfits} {misfits === 1 ? 'does' : 'do'} not fit
                    </span>
                  )}
                </div>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.sample.slice(0, SHOWN_ROWS).map(({ line, cells }) => (
            <tr key={line}>
              <td className="w-[1%] text-muted tabular-nums text-right">{line}</td>
              {columns.map(({ key, sources, isSkipped }) => (
                <td key={key} data-skipped={isSkipped}>
                  {sources
                    .map((source) => excerptOf(cells[source] ?? undefined))
                    .filter((text) => text !== '')
                    .join(', ') || <span className="text-muted">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Marks what a property is to its type. */
export function Badge({ children }: { readonly children: string }) {
  return (
    <span className="py-0 px-1.5 rounded-full bg-accent-bg text-accent text-xs leading-4.5">
      {children}
    </span>
  )
}
