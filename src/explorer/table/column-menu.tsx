/** The menu of a column: order, filter, hide. */

import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { TypeView } from '../view/type-view.ts'
import type { Filter, OrderTerm } from '../view/view-state.ts'
import styles from './column-menu.module.css'
import { type Column, isSortable } from './columns.ts'
import { FilterForm } from './filter-form.tsx'
import { ordered, orderOf } from './order-terms.ts'

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
      className={styles.trigger ?? ''}
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
  const others = order.filter(({ property }) => property !== name)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  const sort = (direction: OrderTerm['direction'], isAdded: boolean) =>
    then(() => onOrder(ordered(order, { property: name, direction }, isAdded)))
  if (isFiltering) {
    const save = (filter: Filter) => then(() => onNewFilter(filter))()
    return <FilterForm of={of} filter={undefined} field={name} onSave={save} />
  }
  return (
    <div className={styles.items}>
      {isSortable(definition) && (
        <>
          <button type="button" onClick={sort('asc', false)}>
            <Icon name="up" size={14} /> Sort up
          </button>
          <button type="button" onClick={sort('desc', false)}>
            <Icon name="down" size={14} /> Sort down
          </button>
          {others.length > 0 && (
            <>
              <button type="button" onClick={sort('asc', true)}>
                <Icon name="up" size={14} /> Then sort up
              </button>
              <button type="button" onClick={sort('desc', true)}>
                <Icon name="down" size={14} /> Then sort down
              </button>
            </>
          )}
          {orderOf(order, name) !== undefined && (
            <button type="button" onClick={then(() => onOrder(others))}>
              <Icon name="close" size={14} /> Do not sort
            </button>
          )}
        </>
      )}
      <button type="button" onClick={() => setFiltering(true)}>
        <Icon name="filter" size={14} /> Filter…
      </button>
      {name !== of.objectType.primaryKey && (
        <button type="button" onClick={then(() => onHide(name))}>
          <Icon name="columns" size={14} /> Hide
        </button>
      )}
    </div>
  )
}
