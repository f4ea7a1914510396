/** The menu of a column: order, filter, hide. */

import { useState } from 'react'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { Filter, OrderTerm } from '../view/view-state.ts'
import { type Column, isSortable } from './columns.ts'
import { FilterForm } from './filter-form.tsx'
import { addTerm, orderOf } from './order-terms.ts'

export interface ColumnMenuProps {
  readonly of: TypeView
  readonly column: Column
  readonly order: readonly OrderTerm[]
  readonly onOrder: (order: readonly OrderTerm[]) => void
  readonly onNewFilter: (filter: Filter) => void
  readonly onHide: (column: string) => void
}

export function ColumnMenu(props: ColumnMenuProps) {
  return (
    <Popup
      kind="quiet"
      className="w-4.5 min-h-6 p-0 align-middle opacity-0 focus-visible:opacity-100 hover:opacity-100 pointer-coarse:opacity-100"
      label={<Icon name="more" size={14} />}
      aria-label={`Column ${props.column.name}`}
      panelLabel={`Column ${props.column.name}`}
    >
      {(close) => <Items {...props} close={close} />}
    </Popup>
  )
}

function Items(props: ColumnMenuProps & { readonly close: () => void }) {
  const { of, column, order, onOrder, onNewFilter, onHide, close } = props
  const { name, definition } = column
  const [isFiltering, setFiltering] = useState(false)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  if (isFiltering) {
    const save = (filter: Filter) => then(() => onNewFilter(filter))()
    return <FilterForm of={of} filter={undefined} field={name} onSave={save} />
  }
  const others = order.filter(({ property }) => property !== name)
  const canSort = isSortable(definition)
  const canAdd = canSort && others.length > 0
  const isSorted = canSort && orderOf(order, name) !== undefined
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) =>
    then(() => onOrder(addTerm(order, { property: name, direction }, isAdded)))
  const items: readonly (readonly [isShown: boolean, IconName, text: string, act: () => void])[] = [
    [canSort, 'up', 'Sort up', sort('asc', false)],
    [canSort, 'down', 'Sort down', sort('desc', false)],
    [canAdd, 'up', 'Then sort up', sort('asc', true)],
    [canAdd, 'down', 'Then sort down', sort('desc', true)],
    [isSorted, 'close', 'Do not sort', then(() => onOrder(others))],
    [true, 'filter', 'Filter…', () => setFiltering(true)],
    [name !== of.objectType.primaryKey, 'columns', 'Hide', then(() => onHide(name))],
  ]
  return (
    <div className="grid min-w-40 -m-1.5">
      {items.map(
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
      )}
    </div>
  )
}
