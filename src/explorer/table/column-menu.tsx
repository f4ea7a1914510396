/** The menu of a column: order, filter, chart, place and width; and what its values are like. */
import { useState } from 'react'
import { FilterForm } from '../filters/filter-form.tsx'
import { Icon, type IconName } from '../ui/controls.tsx'
import { lazyView } from '../ui/lazy-part.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import { replaceFilters } from '../view/type-view.ts'
import type { Filter, OrderTerm } from '../view/view-state.ts'
import { type Column, columnsToKeep, isSortable, moveColumn } from './columns.ts'
import { addTerm, orderOf } from './order-terms.ts'
import { useObjects } from './use-objects.ts'

// Loaded when the first menu is opened.
const ColumnProfile = lazyView(
  'column',
  async () => (await import('../charts/column-profile.tsx')).ColumnProfile,
)

export interface ColumnMenuProps {
  readonly column: Column
  readonly columns: readonly Column[]
  /** Makes the column as wide as its values. */
  readonly onFit: () => void
  readonly close: () => void
}

type Item = readonly [isShown: boolean, IconName, text: string, act: () => void]

export function ColumnMenu({ column, columns, onFit, close }: ColumnMenuProps) {
  const { of, counted, canCount, view: shown, setView } = useObjects()
  const { name, definition, isPinned } = column
  const { order, pins } = of.view
  const [isFiltering, setFiltering] = useState(false)
  if (isFiltering)
    return <FilterForm {...{ of: counted, canCount, view: shown, setView, close }} field={name} />
  const change = (view: Parameters<typeof setView>[0], replace = false) => {
    close()
    setView(view, { replace })
  }
  const others = order.filter(({ property }) => property !== name)
  const canSort = isSortable(definition)
  const canAdd = canSort && others.length > 0
  const isSorted = canSort && orderOf(order, name) !== undefined
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) => () =>
    change({ order: addTerm(order, { property: name, direction }, isAdded) })
  const show = (names: readonly string[]) =>
    change({ columns: columnsToKeep(of.objectType, names) }, true)
  const hide = () => show(columns.map((each) => each.name).filter((each) => each !== name))
  const at = columns.indexOf(column)
  const moved = (to: number) => moveColumn(columns, name, to)
  const canMove = (to: number) => moved(to).indexOf(name) !== at
  const pin = () =>
    change({ pins: isPinned ? pins.filter((each) => each !== name) : [...pins, name] }, true)
  const fit = () => {
    close()
    onFit()
  }
  const chart = () => {
    const by = [{ path: name, step: undefined }]
    change({ layout: 'charts', chart: { ...DEFAULT_CHART, by } })
  }
  const filter = (filters: readonly Filter[]) => change(replaceFilters(of.view, filters))
  const isKey = name === of.objectType.primaryKey
  const items: readonly Item[] = [
    [canSort, 'up', 'Sort up', sort('asc', false)],
    [canSort, 'down', 'Sort down', sort('desc', false)],
    [canAdd, 'up', 'Then sort up', sort('asc', true)],
    [canAdd, 'down', 'Then sort down', sort('desc', true)],
    [isSorted, 'close', 'Do not sort', () => change({ order: others })],
    [true, 'filter', 'Filter…', () => setFiltering(true)],
    [definition.type !== 'struct', 'chart', 'Chart by this column', chart],
    [!isKey, 'columns', 'Hide', hide],
  ]
  const places: readonly Item[] = [
    [canMove(at - 1), 'back', 'Move left', () => show(moved(at - 1))],
    [canMove(at + 2), 'next', 'Move right', () => show(moved(at + 2))],
    [!isKey, 'pin', isPinned ? 'Unpin' : 'Pin', pin],
    [true, 'width', 'Fit to values', fit],
  ]
  return (
    <div className="grid w-70 text-left max-h-[75vh] -m-1.5 overflow-auto">
      <MenuItems items={items} />
      <div className="grid grid-cols-2 mt-1.5 pt-1.5 border-t border-line">
        <MenuItems items={places} />
      </div>
      <div className="mt-1.5 pt-2 px-2 pb-1 border-t border-line">
        <ColumnProfile of={counted} property={name} canCount={canCount} onFilter={filter} />
      </div>
    </div>
  )
}

function MenuItems({ items }: { readonly items: readonly Item[] }) {
  return items.map(
    ([isShown, icon, text, act]) =>
      isShown && (
        <button
          key={text}
          type="button"
          className="flex items-center gap-2 min-h-7.5 px-2 border-0 rounded-sm bg-transparent text-base text-left cursor-pointer hover:bg-accent-bg focus-visible:bg-accent-bg"
          onClick={act}
        >
          <Icon name={icon} size={14} /> {text}
        </button>
      ),
  )
}
