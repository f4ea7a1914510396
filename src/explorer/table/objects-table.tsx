/** The table of a view with what belongs to it: find bar, notices, status bar. */
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, type Ref, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { nameOf } from '../api/ontology.ts'
import { keyText } from '../api/records.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { exactText } from '../ui/format-value.ts'
import type { TypeView } from '../view/type-view.ts'
import { type LinkedList, listedObjectLink, type SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { columnsOf, isSortable, useKeyLength, useWidths } from './columns.ts'
import { FindBar } from './find-bar.tsx'
import { Grid, type GridHandle } from './grid.tsx'
import { toggleOrder } from './order-terms.ts'
import type { ViewWalk } from './use-walk.ts'

/** Rows whose texts decide how wide columns are. */
const SAMPLE = 40
const SETTLE_MS = 80

export interface ObjectsTableProps {
  readonly of: TypeView
  readonly setView: SetView
  readonly walk: ViewWalk
  readonly isFinding: boolean
  readonly onFindClose: () => void
  readonly onTopRow: (row: number) => void
  readonly grid: Ref<GridHandle>
  readonly linked: LinkedList | undefined
  /** Stands after the last row. */
  readonly children: ReactNode
}

export function ObjectsTable(props: ObjectsTableProps) {
  const { of, setView, walk, isFinding, onFindClose, onTopRow, grid, linked, children } = props
  const { ontology, objectType, view } = of
  const [handle, setHandle] = useState<GridHandle | null>(null)
  const [widths, setWidth] = useWidths(objectType.rid)
  const navigate = useNavigate()
  const { walk: current, isStale } = walk
  const hasRows = walk.state.rowCount > 0
  const sample = useMemo(
    () => (hasRows && !isStale ? current.recordsOf(0).slice(0, SAMPLE) : []),
    [current, hasRows, isStale],
  )
  const styleOf = useNumberStyles(of, { canRead: hasRows })
  const keyLength = useKeyLength(current, walk.state.pages.length)
  const columns = useMemo(
    () => columnsOf(ontology, objectType, view.columns, { widths, sample, keyLength, styleOf }),
    [ontology, objectType, view.columns, widths, sample, keyLength, styleOf],
  )
  const recordAt = (row: number) => walk.walk.record(row)
  const open = useCallback(
    (row: number) => {
      const record = walk.walk.record(row)
      if (record === undefined) return
      const version = view.isSnapshot ? walk.walk.getState().pages[0]?.version : undefined
      void navigate(listedObjectLink(of, keyText(record.key), { linked, version }) as never)
    },
    [walk.walk, of, view.isSnapshot, linked, navigate],
  )
  const addFilter = (filter: Filter) => setView({ filters: [...view.filters, filter] })
  const filter = (row: number, field: string, isExcluded: boolean) => {
    const definition = objectType.properties[field]
    const value = recordAt(row)?.properties[field]
    if (value === undefined || value === null) {
      addFilter({ field, operator: isExcluded ? 'filled' : 'empty', value: '' })
    } else if (definition !== undefined && isSortable(definition)) {
      addFilter({ field, operator: isExcluded ? 'neq' : 'eq', value: String(value) })
    }
  }
  const peek = (row: number) => {
    const record = recordAt(row)
    if (record !== undefined) setView({ peek: keyText(record.key) }, { replace: true })
  }
  // The panel follows the active row, but does not ask for rows that are only passed. By then, it may
  // have been closed, and the view may be another one.
  const following = useRef<ReturnType<typeof setTimeout>>(undefined)
  const peekIfOpen = useRef(peek)
  peekIfOpen.current = (row) => {
    if (view.peek !== undefined) peek(row)
  }
  const follow = (row: number) => {
    clearTimeout(following.current)
    following.current = setTimeout(() => peekIfOpen.current(row), SETTLE_MS)
  }
  useEffect(() => () => clearTimeout(following.current), [])
  const copy = (row: number, name: string) => {
    void navigator.clipboard.writeText(exactText(recordAt(row)?.properties[name]))
  }
  const hide = (name: string) => {
    const shown = columns.map((column) => column.name).filter((each) => each !== name)
    setView({ columns: shown }, { replace: true })
  }
  const attach = useCallback(
    (next: GridHandle | null) => {
      setHandle(next)
      if (typeof grid === 'function') grid(next)
      else if (grid) grid.current = next
    },
    [grid],
  )
  return (
    <div className="relative flex flex-1 flex-col min-w-0 min-h-0">
      {isFinding && (
        <FindBar
          walk={walk}
          columns={columns}
          onFound={(cell) => handle?.goTo(cell)}
          onClose={onFindClose}
        />
      )}
      <Grid
        ref={attach}
        of={of}
        label={nameOf(objectType)}
        walk={walk}
        columns={columns}
        primaryKey={objectType.primaryKey}
        isSnapshot={view.isSnapshot}
        order={view.order}
        onOrder={(order) => setView({ order })}
        onOrderBy={(name) => setView({ order: toggleOrder(view.order, name, false) })}
        onNewFilter={addFilter}
        onHide={hide}
        onWidth={setWidth}
        onTopRow={onTopRow}
        onOpen={open}
        onPeek={peek}
        onActive={follow}
        onFilter={filter}
        onCopy={copy}
      />
      <p className="visually-hidden" role="status">
        {walk.state.isLoading ? 'Loading' : `${countOf(walk.state.rowCount, 'row')} loaded`}
      </p>
      {children}
    </div>
  )
}
