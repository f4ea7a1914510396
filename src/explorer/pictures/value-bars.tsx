import { max, sum } from 'd3-array'
import { formatCount } from '../ui/format.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar } from './bars.ts'
import styles from './pictures.module.css'

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
    <ul className={styles.values} aria-label={label}>
      {bars.map(({ label: value, count, filters }) => (
        <li key={value}>
          <button type="button" title={titleOf(value) ?? value} onClick={() => onChoose(filters)}>
            <span className={styles.name}>
              {value === '' ? '(empty text)' : value}
              {titleOf(value) !== undefined && (
                <span className={styles.linked}> {titleOf(value)}</span>
              )}
            </span>
            <span className={styles.track}>
              <i style={{ width: `${(100 * count) / most}%` }} />
            </span>
            <span className={styles.count}>{formatCount(count)}</span>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li className={styles.others}>
          <span>other values</span>
          <span className={styles.count}>{formatCount(others)}</span>
        </li>
      )}
    </ul>
  )
}
