/** The conditions of a view as pills. Each opens its editor, and can be removed. */

import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { isKnownField } from '../view/known-view.ts'
import { describeFilter } from '../view/operators.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter } from '../view/view-state.ts'
import { FilterForm } from './filter-form.tsx'

export interface PillsProps {
  readonly of: TypeView
  readonly setView: SetView
}

export function Pills({ of, setView }: PillsProps) {
  const { view, objectType } = of
  const lostOrder = view.order.filter(({ property }) => !isKnownField(objectType, property))
  if (view.filters.length + lostOrder.length === 0 && view.box === undefined) return null
  return (
    <ul className="flex flex-wrap gap-1.5 m-0 p-0 list-none" aria-label="Filters">
      {view.filters.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
        <li key={index}>
          <FilterPill
            of={of}
            filter={filter}
            onChange={(next) => setView({ filters: view.filters.with(index, next) })}
            onRemove={() => setView({ filters: view.filters.toSpliced(index, 1) })}
          />
        </li>
      ))}
      {lostOrder.map((term) => (
        <li key={term.property}>
          <Pill
            name={`order by ${term.property}`}
            isLost
            onRemove={() => setView({ order: view.order.filter((each) => each !== term) })}
          >
            Order by {term.property}: there is no such property
          </Pill>
        </li>
      ))}
      {view.box !== undefined && (
        <li>
          <Pill name="the box" onRemove={() => setView({ box: undefined })}>
            In the box {view.box.map((edge) => edge.toFixed(2)).join(', ')}
          </Pill>
        </li>
      )}
    </ul>
  )
}

interface PillProps {
  /** The name of the filter that the button removes. */
  readonly name: string
  readonly isLost?: boolean
  readonly onRemove: () => void
  readonly children: ReactNode
}

function Pill({ name, isLost = false, onRemove, children }: PillProps) {
  return (
    <span
      className={
        isLost
          ? 'inline-flex items-center gap-1 h-6 py-0 px-1 rounded-xl text-sm border border-danger text-danger'
          : 'inline-flex items-center gap-1 h-6 py-0 px-1 rounded-xl bg-accent-bg text-accent text-sm'
      }
    >
      <span className="min-h-6 py-0 px-1.5 text-inherit text-sm">{children}</span>
      <button
        type="button"
        className="inline-flex p-1 border-0 bg-transparent cursor-pointer"
        aria-label={`Remove ${name}`}
        onClick={onRemove}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

interface FilterPillProps {
  readonly of: TypeView
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly onRemove: () => void
}

/** A filter on a property that does not exist can only be removed. */
function FilterPill({ of, filter, onChange, onRemove }: FilterPillProps) {
  const text = describeFilter(filter, of.objectType)
  if (!isKnownField(of.objectType, filter.field)) {
    return (
      <Pill name={text} isLost onRemove={onRemove}>
        {text}: there is no such property
      </Pill>
    )
  }
  return (
    <Pill name={text} onRemove={onRemove}>
      <Popup
        kind="quiet"
        className="min-h-6 p-0 text-inherit text-sm"
        label={text}
        panelLabel={`Filter: ${text}`}
      >
        {(close) => (
          <FilterForm
            of={of}
            filter={filter}
            onSave={(next) => {
              close()
              onChange(next)
            }}
          />
        )}
      </Popup>
    </Pill>
  )
}
