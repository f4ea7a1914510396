/** A view of the objects at a link: the condition of the link holds, but is not in the address. */
import type { SetView } from '../view/use-view.ts'
import type { Filter, ViewState } from '../view/view-state.ts'
import type { TrailStep } from './trail.ts'

export interface LinkedView {
  readonly view: ViewState
  readonly setView: SetView
}

/** A link whose objects are shown. */
export interface LinkedList {
  /** The condition that selects them. */
  readonly filter: Filter
  readonly trail: readonly TrailStep[]
  /** Shows a view of the type without the link. */
  readonly leave: (view: ViewState) => void
}

/** Adds the condition of a link to a view. A change that drops the condition leaves the link. */
export function withinLink(
  view: ViewState,
  setView: SetView,
  linked: Pick<LinkedList, 'filter' | 'leave'> | undefined,
): LinkedView {
  if (linked === undefined) return { view, setView }
  const { filter, leave } = linked
  const isLink = (other: Filter) =>
    other.field === filter.field &&
    other.operator === filter.operator &&
    other.value === filter.value
  return {
    view: { ...view, filters: [filter, ...view.filters] },
    setView: (change, options) => {
      const { filters } = change
      if (filters === undefined) setView(change, options)
      else if (!filters.some(isLink)) leave({ ...view, ...change })
      else setView({ ...change, filters: filters.filter((each) => !isLink(each)) }, options)
    },
  }
}
