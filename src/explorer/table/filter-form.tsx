/** The conditions of a view: the editor of one, and all of them as pills. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { countOf, formatCount } from '../../contract/count-of.ts'
import { nameOfProperty } from '../api/ontology.ts'
import { countQuery } from '../queries/aggregate.ts'
import { suggestionsQuery } from '../queries/facet-query.ts'
import { useSession } from '../session/session.tsx'
import { Button, Icon } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { FORM, SelectField, submits, TextField } from '../ui/fields.tsx'
import { useSettled } from '../ui/hooks.ts'
import {
  describeFilter,
  isKnownField,
  needsValue,
  operatorsOf,
  scalarOf,
} from '../view/type-view.ts'
import { type Filter, OPERATOR_NAMES, type Operator } from '../view/view-state.ts'
import { inputOf } from './filter-input.ts'
import { useObjects } from './use-objects.ts'

export interface FilterFormProps {
  /** The place of the filter that is changed; a new one without it. */
  readonly index?: number
  /** The property of a new filter. */
  readonly field?: string
  readonly close: () => void
}

const BOOLEANS = [
  ['true', 'true'],
  ['false', 'false'],
] as const

/** The editor of one filter: property, operator, value. */
export function FilterForm({ index, field: firstField, close }: FilterFormProps) {
  const { of, view, setView } = useObjects()
  const { objectType } = of
  const filter = index === undefined ? undefined : view.filters[index]
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
  const written = input.kind === 'boolean' && value === '' ? 'true' : value.trim()
  const filtersWith = (chosenOperator: Operator): readonly Filter[] => {
    // An input may show less than the value, such as a timestamp without its fraction.
    const isUnchanged = filter?.field === field && input.toInput(filter.value) === value
    const saved = isUnchanged ? filter.value : input.fromInput(written)
    const next = {
      field,
      operator: chosenOperator,
      value: needsValue(chosenOperator) ? saved : '',
    }
    return view.filters.toSpliced(index ?? view.filters.length, 1, next)
  }
  const save = () => {
    if (operator === undefined) return
    close()
    setView({ filters: filtersWith(operator) })
  }
  const isComplete = operator !== undefined && (!needsValue(operator) || written !== '')
  return (
    <form className={FORM} onSubmit={submits(save)}>
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
              list={input.hasSuggestions ? list : undefined}
              onChange={setValue}
            />
            {input.hasSuggestions && <Suggestions id={list} property={field} typed={written} />}
          </>
        ))}
      <Matches filters={isComplete ? filtersWith(operator) : undefined} />
      <Button type="submit" kind="primary" className="mt-1.5">
        {filter === undefined ? 'Add the filter' : 'Save'}
      </Button>
    </form>
  )
}

interface SuggestionsProps {
  readonly id: string
  readonly property: string
  readonly typed: string
}

/** The most frequent values among the objects of the view, as far as they fit what is typed. */
function Suggestions({ id, property, typed }: SuggestionsProps) {
  const { service } = useSession()
  const { counted, canCount } = useObjects()
  const { data = [] } = useQuery({
    ...suggestionsQuery(service, counted, property, useSettled(typed)),
    enabled: canCount,
    placeholderData: keepPreviousData,
  })
  return (
    <datalist id={id}>
      {data.map(({ value, count }) => (
        <option key={value} value={value} label={formatCount(count)} />
      ))}
    </datalist>
  )
}

/** How many objects match the filter that is being written; nothing until it is one. */
function Matches({ filters }: { readonly filters: readonly Filter[] | undefined }) {
  const { service } = useSession()
  const { counted, canCount } = useObjects()
  // As a text, because a value settles when it is the same, not when it is equal.
  const settled = useSettled(JSON.stringify(filters ?? null))
  const asked = JSON.parse(settled) as readonly Filter[] | null
  const { data, isSuccess } = useQuery({
    ...countQuery(service, { ...counted, view: { ...counted.view, filters: asked ?? [] } }),
    enabled: canCount && asked !== null,
    placeholderData: keepPreviousData,
  })
  const isShown = asked !== null && isSuccess
  return (
    <p className="label min-h-4" role="status">
      {isShown && `${countOf(data, 'object')} ${data === 1 ? 'matches' : 'match'}`}
    </p>
  )
}

/** The conditions of a view. Each opens its editor, and can be removed. */
export function Pills() {
  const { of, view, setView } = useObjects()
  const lostOrder = view.order.filter(({ property }) => !isKnownField(of.objectType, property))
  if (view.filters.length + lostOrder.length === 0 && view.box === undefined) return null
  return (
    <ul className="flex flex-wrap gap-1.5 m-0 p-0 list-none" aria-label="Filters">
      {view.filters.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
        <FilterPill key={index} filter={filter} index={index} />
      ))}
      {lostOrder.map((term) => (
        <Pill
          key={term.property}
          name={`order by ${term.property}`}
          isLost
          onRemove={() => setView({ order: view.order.filter((each) => each !== term) })}
        >
          Order by {term.property}: there is no such property
        </Pill>
      ))}
      {view.box !== undefined && (
        <Pill name="the box" onRemove={() => setView({ box: undefined })}>
          In the box {view.box.map((edge) => edge.toFixed(2)).join(', ')}
        </Pill>
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
    <li>
      <span
        className={`inline-flex items-center gap-1 h-6 py-0 px-1 rounded-xl text-sm ${isLost ? 'border border-danger text-danger' : 'bg-accent-bg text-accent'}`}
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
    </li>
  )
}

/** A filter on a property that does not exist can only be removed. */
function FilterPill({ filter, index }: { readonly filter: Filter; readonly index: number }) {
  const { of, view, setView } = useObjects()
  const text = describeFilter(filter, of.objectType)
  const isLost = !isKnownField(of.objectType, filter.field)
  const remove = () => setView({ filters: view.filters.toSpliced(index, 1) })
  return (
    <Pill name={text} isLost={isLost} onRemove={remove}>
      {isLost ? (
        `${text}: there is no such property`
      ) : (
        <Popup
          kind="quiet"
          className="min-h-6 p-0 text-inherit text-sm"
          label={text}
          panelLabel={`Filter: ${text}`}
        >
          {(close) => <FilterForm index={index} close={close} />}
        </Popup>
      )}
    </Pill>
  )
}
