/** The menu of a column: order, filter, hide. */

import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
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

const ITEM =
  'flex items-center gap-2 min-h-7.5 px-2 border-0 rounded-sm bg-transparent text-base text-left cursor-pointer hover:bg-accent-bg focus-visible:bg-accent-bg'

function Items(props: ColumnMenuProps & { readonly close: () => void }) {
  const { of, column, order, onOrder, onNewFilter, onHide, close } = props
  const { name, definition } = column
  const [isFiltering, setFiltering] = useState(false)
  const others = order.filter(({ property }) => property !== name)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) =>
    then(() => onOrder(addTerm(order, { property: name, direction }, isAdded)))
  if (isFiltering) {
    const save = (filter: Filter) => then(() => onNewFilter(filter))()
    return <FilterForm of={of} filter={undefined} field={name} onSave={save} />
  }
  return (
    <div className="grid min-w-40 -m-1.5">
      {isSortable(definition) && (
        <>
          <button type="button" className={ITEM} onClick={sort('asc', false)}>
            <Icon name="up" size={14} /> Sort up
          </button>
          <button type="button" className={ITEM} onClick={sort('desc', false)}>
            <Icon name="down" size={14} /> Sort down
          </button>
          {others.length > 0 && (
            <>
              <button type="button" className={ITEM} onClick={sort('asc', true)}>
                <Icon name="up" size={14} /> Then sort up
              </button>
              <button type="button" className={ITEM} onClick={sort('desc', true)}>
                <Icon name="down" size={14} /> Then sort down
              </button>
            </>
          )}
          {orderOf(order, name) !== undefined && (
            <button type="button" className={ITEM} onClick={then(() => onOrder(others))}>
              <Icon name="close" size={14} /> Do not sort
            </button>
          )}
        </>
      )}
      <button type="button" className={ITEM} onClick={() => setFiltering(true)}>
        <Icon name="filter" size={14} /> Filter…
      </button>
      {name !== of.objectType.primaryKey && (
        <button type="button" className={ITEM} onClick={then(() => onHide(name))}>
          <Icon name="columns" size={14} /> Hide
        </button>
      )}
    </div>
  )
}
