/** A picture of a distribution, by its kind. */
import type { Filter } from '../view/view-state.ts'
import type { Distribution } from './distribution.ts'
import { Histogram } from './histogram.tsx'
import { ValueBars } from './value-bars.tsx'

export interface ChartProps {
  readonly label: string
  readonly distribution: Distribution
  readonly isLarge: boolean
  readonly onChoose: (filters: readonly Filter[]) => void
}

export function Chart({ label, distribution, isLarge, onChoose }: ChartProps) {
  const { bars, ticks, kind, others } = distribution
  return kind === 'values' ? (
    <ValueBars label={label} bars={bars} others={others} onChoose={onChoose} />
  ) : (
    <Histogram label={label} bars={bars} ticks={ticks} isLarge={isLarge} onChoose={onChoose} />
  )
}
