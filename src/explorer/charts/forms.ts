import type { Box, Filter } from '../view/view-state.ts'
import type { DrawnChart } from './drawn-chart.ts'

/** The box is a cell of a map. */
export type OnFilter = (filters: readonly Filter[], box?: Box) => void

/** What every form of a chart takes. */
export interface FormProps {
  readonly drawn: DrawnChart
  /** Filters for the objects of what is pressed; undefined if nothing can be pressed. */
  readonly onFilter: OnFilter | undefined
  /** True for a picture among many. */
  readonly isSmall?: boolean
}
