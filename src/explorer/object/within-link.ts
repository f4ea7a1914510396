/** A view of the objects at a link: the condition of the link holds, but is not in the address. */
import type { SetView } from '../view/use-view.ts'
import type { Filter, ViewState } from '../view/view-state.ts'

export interface LinkedView {
  readonly view: ViewState
  readonly setView: SetView
}

/** Adds the condition of a link to a view, and removes it from changes of the view. */
export function withinLink(
  view: ViewState,
  setView: SetView,
  filter: Filter | undefined,
): LinkedView {
  if (filter === undefined) return { view, setView }
  const isLink = (other: Filter) =>
    other.field === filter.field &&
    other.operator === filter.operator &&
    other.value === filter.value
  return {
    view: { ...view, filters: [filter, ...view.filters] },
    setView: (change, options) => {
      const { filters } = change
      const kept = filters && { filters: filters.filter((each) => !isLink(each)) }
      setView({ ...change, ...kept }, options)
    },
  }
}
