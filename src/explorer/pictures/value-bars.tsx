import { max, sum } from 'd3-array'
import { formatCount } from '../ui/format.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar } from './bars.ts'

export interface ValueBarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  /** Objects with values that are not shown. */
  readonly others: number
  /** The titles of the values that are keys of other objects. */
  readonly titleOf: (value: string) => string | undefined
  readonly isLarge: boolean
  readonly onChoose: (filters: readonly Filter[]) => void
}

/** Bars of a small picture, so that all pictures of a row have the same height. */
const SMALL = 6

/** Lying bars with their values, the most frequent first. */
export function ValueBars(props: ValueBarsProps) {
  const { label, bars: all, titleOf, isLarge, onChoose } = props
  const bars = isLarge || all.length <= SMALL + 1 ? all : all.slice(0, SMALL)
  const others = props.others + sum(all.slice(bars.length), ({ count }) => count)
  const most = max(bars, ({ count }) => count) ?? 1
  return (
    <ul className="m-0 p-0 list-none text-base leading-5" aria-label={label}>
      {bars.map(({ label: value, count, filters }) => (
        <li key={value}>
          <button
            type="button"
            className="grid grid-cols-[minmax(70px,36%)_minmax(0,1fr)_auto] gap-2 items-center w-full py-px px-1 border-0 rounded-md bg-transparent text-left cursor-pointer hover:bg-raised"
            title={titleOf(value) ?? value}
            onClick={() => onChoose(filters)}
          >
            <span className="truncate">
              {value === '' ? '(empty text)' : value}
              {titleOf(value) !== undefined && (
                <span className="text-muted"> {titleOf(value)}</span>
              )}
            </span>
            <span className="block">
              <i
                className="block h-2.5 rounded-xs bg-accent transition-[width] duration-(--motion)"
                style={{ width: `${(100 * count) / most}%` }}
              />
            </span>
            <span className="tabular-nums">{formatCount(count)}</span>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 items-center w-full py-px px-1 text-muted">
          <span>other values</span>
          <span className="tabular-nums">{formatCount(others)}</span>
        </li>
      )}
    </ul>
  )
}
