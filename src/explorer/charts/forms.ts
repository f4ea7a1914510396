import type { Filter } from '../view/view-state.ts'
import type { DrawnChart } from './drawn-chart.ts'

/** What every form of a chart takes. */
export interface FormProps {
  readonly drawn: DrawnChart
  /** Filters for the objects of what is pressed; undefined if nothing can be pressed. */
  readonly onFilter: ((filters: readonly Filter[]) => void) | undefined
}
