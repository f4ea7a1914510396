import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { isSameFilter } from './filters.ts'
import { addressOf, listText, readTrail, searchOf, type TrailStep, toLink } from './trail.ts'
import type { TypeView } from './type-view.ts'
import { type Filter, fromSearch, searchText, type ViewState, viewText } from './view-state.ts'

type Setter<View> = (change: Partial<View>, options?: { readonly replace?: boolean }) => void
export type SetView = Setter<ViewState>
export type SetObjectView = Setter<ObjectView>

/** Returns what the address bar shows, and a function that changes it. */
function useAddress<View>(
  read: (search: URLSearchParams) => View,
  write: (view: View) => string,
): readonly [View, Setter<View>] {
  const search = useLocation({ select: (location) => location.searchStr })
  const navigate = useNavigate()
  const view = useMemo(() => read(new URLSearchParams(search)), [read, search])
  const setView = useCallback<Setter<View>>(
    (change, { replace = false } = {}) => {
      const search = { text: write({ ...view, ...change }) }
      void navigate({ to: '.', search, replace } as never)
    },
    [navigate, view, write],
  )
  return [view, setView]
}

export const useView = () => useAddress(fromSearch, viewText)
export const useObjectView = () => useAddress(readObjectView, writeObjectView)

/** The search parameters of an object: the list that it belongs to, and the object to compare. */
export interface ObjectView {
  /** The list that the object was opened from. */
  readonly list: ViewState
  readonly trail: readonly TrailStep[]
  /** The key of the object that it is compared with. */
  readonly with: string | undefined
  /** The version of the snapshot that is compared with the latest state. */
  readonly version: number | undefined
  readonly isJson: boolean
}

function readObjectView(parameters: URLSearchParams): ObjectView {
  const list = fromSearch(parameters)
  const version = parameters.get('v') ?? ''
  return {
    list,
    trail: readTrail(list.trail),
    with: parameters.get('with') ?? undefined,
    version: /^\d{1,15}$/.test(version) ? Number(version) : undefined,
    isJson: parameters.get('as') === 'json',
  }
}

export function writeObjectView(view: ObjectView): string {
  const search = new URLSearchParams(searchOf(listText(view.list), view.trail))
  if (view.with !== undefined) search.set('with', view.with)
  if (view.version !== undefined) search.set('v', String(view.version))
  if (view.isJson) search.set('as', 'json')
  return searchText(search)
}

/** A link whose objects are shown: its condition holds, but is not in the address. */
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
): { readonly view: ViewState; readonly setView: SetView } {
  if (linked === undefined) return { view, setView }
  const { filter, leave } = linked
  const isLink = (other: Filter) => isSameFilter(other, filter)
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

/** Returns the link from a list to one of its objects, which remembers the list. */
export function listedObjectLink(
  { ontology, objectType, view }: TypeView,
  key: string,
  { linked, version }: { linked: LinkedList | undefined; version: number | undefined },
) {
  const filters = view.filters.filter((each) => !(linked && isSameFilter(each, linked.filter)))
  const list = { ...view, filters }
  const shown = { list, trail: linked?.trail ?? [], with: undefined, version, isJson: false }
  const search = writeObjectView(shown)
  return toLink(addressOf(ontology.apiName, { type: objectType.apiName, key }, search))
}
