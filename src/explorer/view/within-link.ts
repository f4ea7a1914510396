/** A view of the objects at a link: the condition of the link holds, but is not in the address. */

import { writeObjectView } from './object-address.ts'
import { addressOf, type TrailStep, toLink } from './trail.ts'
import type { TypeView } from './type-view.ts'
import type { SetView } from './use-view.ts'
import type { Filter, ViewState } from './view-state.ts'

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
  const isLink = (other: Filter) => isSame(other, filter)
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

function isSame(a: Filter, b: Filter): boolean {
  return a.field === b.field && a.operator === b.operator && a.value === b.value
}

export interface ListedIn {
  readonly linked: LinkedList | undefined
  /** The version of the snapshot that the list shows. */
  readonly version: number | undefined
}

/** Returns the link from a list to one of its objects, which remembers the list. */
export function listedObjectLink(
  { ontology, objectType, view }: TypeView,
  key: string,
  { linked, version }: ListedIn,
) {
  const filters = view.filters.filter((each) => !(linked && isSame(each, linked.filter)))
  const search = writeObjectView({
    list: { ...view, filters },
    trail: linked?.trail ?? [],
    with: undefined,
    version,
    isJson: false,
  })
  return toLink(addressOf(ontology.apiName, { type: objectType.apiName, key }, search))
}
