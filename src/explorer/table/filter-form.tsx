/** The editor of one filter: property, operator, value. */

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { suggestionsQuery } from '../queries/facet-query.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { FORM, SelectField, TextField } from '../ui/fields.tsx'
import { formatCount } from '../ui/format.ts'
import { scalarOf } from '../view/conditions.ts'
import { needsValue, OPERATOR_NAMES, operatorsOf } from '../view/operators.ts'
import type { TypeView } from '../view/type-view.ts'
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
