import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { keyText } from '../api/records.ts'
import { exactText } from '../ui/format-value.ts'
import { listedObjectLink } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { isSortable } from './columns.ts'
import { toggleOrder } from './order-terms.ts'
import type { RowActions } from './use-grid-keys.ts'
import { useObjects } from './use-objects.ts'

const SETTLE_MS = 80

/** What a reader can do with the object of a row. */
export function useRowActions(): RowActions {
  const { of, view, setView, linked, walk: viewWalk } = useObjects()
  const { walk } = viewWalk
  const navigate = useNavigate()
  const addFilter = (filter: Filter) => setView({ filters: [...view.filters, filter] })
  const onPeek = (row: number) => {
    const record = walk.record(row)
    if (record !== undefined) setView({ peek: keyText(record.key) }, { replace: true })
  }
  // The panel follows the active row, but does not ask for rows that are only passed. By then, it may
  // have been closed, and the view may be another one.
  const following = useRef<ReturnType<typeof setTimeout>>(undefined)
  const peekIfOpen = useRef(onPeek)
  peekIfOpen.current = (row) => {
    if (view.peek !== undefined) onPeek(row)
  }
  useEffect(() => () => clearTimeout(following.current), [])
  return {
    onPeek,
    onActive: (row) => {
      clearTimeout(following.current)
      following.current = setTimeout(() => peekIfOpen.current(row), SETTLE_MS)
    },
    onOpen: (row) => {
      const record = walk.record(row)
      if (record === undefined) return
      const version = view.isSnapshot ? walk.getState().pages[0]?.version : undefined
      void navigate(listedObjectLink(of, keyText(record.key), { linked, version }) as never)
    },
    onFilter: (row, field, isExcluded) => {
      const definition = of.objectType.properties[field]
      const value = walk.record(row)?.properties[field]
      if (value === undefined || value === null) {
        addFilter({ field, operator: isExcluded ? 'filled' : 'empty', value: '' })
      } else if (definition !== undefined && isSortable(definition)) {
        addFilter({ field, operator: isExcluded ? 'neq' : 'eq', value: String(value) })
      }
    },
    onCopy: (row, name) => {
      void navigator.clipboard.writeText(exactText(walk.record(row)?.properties[name]))
    },
    onOrderBy: (name) => setView({ order: toggleOrder(of.view.order, name, false) }),
  }
}
