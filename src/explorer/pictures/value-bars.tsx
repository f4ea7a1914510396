import { max } from 'd3-array'
import { formatCount } from '../ui/format.ts'
import type { Filter } from '../view/view-state.ts'
import type { Bar } from './distribution.ts'
import styles from './pictures.module.css'

export interface ValueBarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  /** Objects with values that are not shown. */
  readonly others: number
  readonly onChoose: (filters: readonly Filter[]) => void
}

/** Lying bars with their values, the most frequent first. */
export function ValueBars({ label, bars, others, onChoose }: ValueBarsProps) {
  const most = max(bars, ({ count }) => count) ?? 1
  return (
    <ul className={styles.values} aria-label={label}>
      {bars.map(({ label: value, count, filters }) => (
        <li key={value}>
          <button type="button" onClick={() => onChoose(filters)}>
            <span className={styles.name}>{value === '' ? '(empty text)' : value}</span>
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
