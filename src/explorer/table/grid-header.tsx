import { wordsOf } from '../api/ontology.ts'
import { Icon } from '../ui/icon.tsx'
import type { OrderTerm } from '../view/view-state.ts'
import { type Column, isSortable } from './columns.ts'
import styles from './grid.module.css'

export interface OrderProps {
  readonly order: OrderTerm | undefined
  readonly onOrder: (order: OrderTerm | undefined) => void
}

export interface GridHeaderProps extends OrderProps {
  readonly columns: readonly Column[]
}

export function GridHeader({ columns, order, onOrder }: GridHeaderProps) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" tabIndex={-1} aria-rowindex={1} className={styles.row}>
        {columns.map((column, index) => (
          <HeaderCell
            key={column.name}
            column={column}
            index={index}
            order={order?.property === column.name ? order.direction : undefined}
            onOrder={onOrder}
          />
        ))}
      </div>
    </div>
  )
}

interface HeaderCellProps {
  readonly column: Column
  readonly index: number
  readonly order: OrderTerm['direction'] | undefined
  readonly onOrder: OrderProps['onOrder']
}

/** The first press orders upwards, the second downwards, the third not at all. */
function HeaderCell({ column, index, order, onOrder }: HeaderCellProps) {
  const { name, definition, width, isNumeric } = column
  const next = order === undefined ? 'asc' : order === 'asc' ? 'desc' : undefined
  const label = definition.displayName ?? wordsOf(name)
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-colindex={index + 1}
      aria-sort={order === undefined ? 'none' : order === 'asc' ? 'ascending' : 'descending'}
      className={`${styles.headCell} ${isNumeric ? styles.numeric : ''}`}
      style={{ width }}
      title={`${name}: ${definition.type}${definition.description ? ` – ${definition.description}` : ''}`}
    >
      {isSortable(definition) ? (
        <button
          type="button"
          className={styles.headButton}
          onClick={() =>
            onOrder(next === undefined ? undefined : { property: name, direction: next })
          }
        >
          <span className={styles.ellipsis}>{label}</span>
          {order !== undefined && <Icon name={order === 'asc' ? 'up' : 'down'} size={12} />}
        </button>
      ) : (
        <span className={styles.ellipsis}>{label}</span>
      )}
    </div>
  )
}
