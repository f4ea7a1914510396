/** The first rows of a file, under a head that says what becomes of each column. */
import { useId } from 'react'
import { excerptOf, ownValue } from '../../formats/row.ts'
import { optionsOf, Select } from '../ui/fields.tsx'
import { DATE_FORMATS } from './date-formats.ts'
import { NUMBER_STYLES, type NumberStyle } from './number-styles.ts'
import { type PreviewColumn, previewColumns } from './preview-columns.ts'
import type { LoadPlan } from './use-load-plan.ts'

const SHOWN_ROWS = 6

/** The looks of a table of rows of a file. */
export const TABLE = 'w-full border-separate [border-spacing:0] text-base leading-5'
export const FRAME = 'max-h-85 overflow-auto border border-line rounded-md'
const CELL = 'max-w-65 py-1.5 px-3 border-b border-line overflow-hidden text-ellipsis align-top'
export const HEAD = `${CELL} sticky top-0 z-1 bg-raised font-semibold text-left whitespace-nowrap`
export const DATA = `${CELL} whitespace-nowrap last:whitespace-normal [tr:last-child>&]:border-b-0`

export function PreviewTable({ plan }: { readonly plan: LoadPlan }) {
  const columns = previewColumns(plan)
  return (
    <section
      className={FRAME}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what overflows
      tabIndex={0}
      aria-label="First rows of the file"
    >
      <table className={TABLE}>
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-[1%] text-muted tabular-nums`}>
              <span className="label">line</span>
            </th>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`${HEAD} data-[bad=true]:shadow-[inset_0_2px_var(--color-danger)]`}
                data-bad={column.misfits > 0}
              >
                <ColumnHead column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plan.report.sample.slice(0, SHOWN_ROWS).map(({ line, cells }) => (
            <tr key={line}>
              <td className={`${DATA} w-[1%] text-muted tabular-nums`}>{line}</td>
              {columns.map(({ name, sources, choice }) => (
                <td
                  key={name}
                  className={`${DATA} data-[skipped=true]:text-muted data-[skipped=true]:line-through`}
                  data-skipped={choice === ''}
                >
                  {sources
                    .map((source) => excerptOf(ownValue(cells, source) ?? undefined))
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

const SIZE = 'w-full min-w-37 min-h-7 font-normal'

function ColumnHead({ column }: { readonly column: PreviewColumn }) {
  const { name, badges, note, dateFormat, numbers, nulls, keepsNulls, misfits, choose, read } =
    column
  const list = useId()
  return (
    <div className="grid gap-1.5">
      <span className="flex items-baseline gap-1.5 font-normal">
        <strong>{name}</strong>
        {badges.map((badge) => (
          <span
            key={badge}
            className="py-0 px-1.5 rounded-full bg-accent-bg text-accent text-xs leading-4.5"
          >
            {badge}
          </span>
        ))}
        {note !== '' && <span className="label">{note}</span>}
      </span>
      <Select
        label={column.choiceLabel}
        className={SIZE}
        value={column.choice}
        options={column.options}
        onChange={choose}
      />
      {dateFormat !== undefined && (
        <>
          <input
            className={`${SIZE} px-2 border border-edge rounded-md bg-panel text-base`}
            aria-label={`Date format of ${name}`}
            title="How the dates are written in the file"
            list={list}
            value={dateFormat}
            placeholder="YYYY-MM-DD"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => read({ dateFormat: target.value.trim() })}
          />
          <datalist id={list}>{optionsOf(DATE_FORMATS.map((format) => [format, '']))}</datalist>
        </>
      )}
      {numbers !== undefined && (
        <Select
          label={`How numbers of ${name} are written`}
          className={SIZE}
          value={numbers}
          options={NUMBER_STYLES}
          onChange={(style) => read({ numbers: style as NumberStyle })}
        />
      )}
      {nulls.length > 0 && (
        <label className="flex items-center gap-1.5 text-sm font-normal">
          <input
            type="checkbox"
            checked={!keepsNulls}
            onChange={({ target }) => read({ keepsNulls: !target.checked })}
          />
          {nulls.map((text) => `“${text}”`).join(', ')} {nulls.length === 1 ? 'is' : 'are'} missing
        </label>
      )}
      {misfits > 0 && (
        <span className="mistake">
          {misfits} {misfits === 1 ? 'does' : 'do'} not fit
        </span>
      )}
    </div>
  )
}
