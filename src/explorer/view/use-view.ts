import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { searchRecord } from './search-record.ts'
import { fromSearch, type ViewState } from './view-state.ts'

export type SetView = (change: Partial<ViewState>, options?: { readonly replace?: boolean }) => void

/** Returns the view in the address bar, and a function that changes it. */
export function useView(): readonly [ViewState, SetView] {
  const search = useLocation({ select: (location) => location.searchStr })
  const navigate = useNavigate()
  const view = useMemo(() => fromSearch(new URLSearchParams(search)), [search])
  const setView = useCallback<SetView>(
    (change, { replace = false } = {}) => {
      void navigate({ to: '.', search: searchRecord({ ...view, ...change }), replace } as never)
    },
    [navigate, view],
  )
  return [view, setView]
}
