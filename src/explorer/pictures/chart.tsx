/** A picture of a distribution, by its kind. */
import type { Filter } from '../view/view-state.ts'
import type { Distribution } from './distribution.ts'
import { Histogram } from './histogram.tsx'
import { ValueBars } from './value-bars.tsx'

export interface ChartProps {
  readonly label: string
  readonly distribution: Distribution
  readonly isLarge: boolean
  /** The titles of the values that are keys of other objects. */
  readonly titleOf: (value: string) => string | undefined
  readonly onChoose: (filters: readonly Filter[]) => void
}

export function Chart({ label, distribution, isLarge, titleOf, onChoose }: ChartProps) {
  const { bars, ticks, note, kind, others } = distribution
  return kind === 'values' ? (
    <ValueBars
      label={label}
      bars={bars}
      others={others}
      titleOf={titleOf}
      isLarge={isLarge}
      onChoose={onChoose}
    />
  ) : (
    <Histogram
      label={label}
      bars={bars}
      ticks={ticks}
      note={note}
      isLarge={isLarge}
      onChoose={onChoose}
    />
  )
}
