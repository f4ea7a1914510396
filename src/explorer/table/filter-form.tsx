/** The editor of one filter: property, operator, value. */

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { suggestionsQuery } from '../queries/facet-query.ts'
import { useSession } from '../session/session.tsx'
import { Button, Icon } from '../ui/button.tsx'
import { Popup } from '../ui/dialog.tsx'
import { FORM, SelectField, TextField } from '../ui/fields.tsx'
import { formatCount } from '../ui/format.ts'
import {
  describeFilter,
  needsValue,
  OPERATOR_NAMES,
  operatorsOf,
  scalarOf,
} from '../view/conditions.ts'
import { isKnownField, type TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Filter, Operator } from '../view/view-state.ts'
import { inputOf } from './filter-input.ts'

export interface FilterFormProps {
  readonly of: TypeView
  /** Undefined for a new filter. */
  readonly filter: Filter | undefined
  /** The property of a new filter. */
  readonly field?: string
  readonly onSave: (filter: Filter) => void
}

const BOOLEANS = [
  ['true', 'true'],
  ['false', 'false'],
] as const

export function FilterForm({ of, filter, field: firstField, onSave }: FilterFormProps) {
  const { objectType } = of
  const names = Object.keys(objectType.properties)
  const [field, setField] = useState(filter?.field ?? firstField ?? names[0] ?? '')
  const [chosen, setChosen] = useState<Operator | undefined>(filter?.operator)
  const list = useId()
  const definition = objectType.properties[field.split('/')[0] ?? '']
  const operators = definition === undefined ? [] : operatorsOf(definition)
  const operator = chosen !== undefined && operators.includes(chosen) ? chosen : operators[0]
  const input = inputOf(scalarOf(objectType, field))
  const [value, setValue] = useState(filter === undefined ? '' : input.toInput(filter.value))
  const label = `Value${input.hint === undefined ? '' : ` (${input.hint})`}`
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (operator === undefined) return
    const written = input.kind === 'boolean' && value === '' ? 'true' : value.trim()
    // An input may show less than the value, such as a timestamp without its fraction.
    const isUnchanged = filter?.field === field && input.toInput(filter.value) === value
    const saved = isUnchanged ? filter.value : input.fromInput(written)
    onSave({ field, operator, value: needsValue(operator) ? saved : '' })
  }
  return (
    <form className={FORM} onSubmit={submit}>
      <SelectField
        label="Property"
        value={field}
        options={names.map((name) => [name, nameOfProperty(name, objectType.properties[name])])}
        onChange={(name) => {
          setField(name)
          setValue('')
        }}
      />
      <SelectField
        label="Condition"
        value={operator ?? ''}
        options={operators.map((name) => [name, OPERATOR_NAMES[name]])}
        onChange={(name) => setChosen(name as Operator)}
      />
      {operator !== undefined &&
        needsValue(operator) &&
        (input.kind === 'boolean' ? (
          <SelectField
            label={label}
            value={value === 'false' ? 'false' : 'true'}
            options={BOOLEANS}
            onChange={setValue}
          />
        ) : (
          <>
            <TextField
              label={label}
              {...input.attributes}
              value={value}
              required
              autoFocus
              autoComplete="off"
              list={input.hasSuggestions ? list : undefined}
              onChange={setValue}
            />
            {input.hasSuggestions && <Suggestions id={list} of={of} property={field} />}
          </>
        ))}
      <Button type="submit" kind="primary" className="mt-1.5">
        {filter === undefined ? 'Add the filter' : 'Save'}
      </Button>
    </form>
  )
}

interface SuggestionsProps {
  readonly id: string
  readonly of: TypeView
  readonly property: string
}

/** The most frequent values among the objects of the view. */
function Suggestions({ id, of, property }: SuggestionsProps) {
  const { service } = useSession()
  const { data = [] } = useQuery(suggestionsQuery(service, of, property))
  return (
    <datalist id={id}>
      {data.map(({ value, count }) => (
        <option key={value} value={value} label={formatCount(count)} />
      ))}
    </datalist>
  )
}

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
