/** The search parameters of an object: the list that it belongs to, and the object to compare. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { parseSearch, stringifySearch } from './search-record.ts'
import { listText, readTrail, searchOf, type TrailStep } from './trail.ts'
import { fromSearch, type ViewState } from './view-state.ts'

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

function readObjectView(search: string): ObjectView {
  const parameters = new URLSearchParams(search)
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
  const search = {
    ...parseSearch(searchOf(listText(view.list), view.trail)),
    ...(view.with !== undefined && { with: [view.with] }),
    ...(view.version !== undefined && { v: [String(view.version)] }),
    ...(view.isJson && { as: ['json'] }),
  }
  return stringifySearch(search)
}

export type SetObjectView = (
  change: Partial<ObjectView>,
  options?: { readonly replace?: boolean },
) => void

export function useObjectView(): readonly [ObjectView, SetObjectView] {
  const search = useLocation({ select: (location) => location.searchStr })
  const navigate = useNavigate()
  const view = useMemo(() => readObjectView(search), [search])
  const setView = useCallback<SetObjectView>(
    (change, { replace = false } = {}) => {
      const next = parseSearch(writeObjectView({ ...view, ...change }))
      void navigate({ to: '.', search: next, replace } as never)
    },
    [navigate, view],
  )
  return [view, setView]
}
