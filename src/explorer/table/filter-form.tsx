/** The editor of one filter: property, operator, value. */

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { nameOfProperty } from '../api/ontology.ts'
import { suggestionsQuery } from '../queries/facet-query.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { scalarOf } from '../view/conditions.ts'
import { needsValue, OPERATOR_NAMES, operatorsOf } from '../view/operators.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Filter, Operator } from '../view/view-state.ts'
import styles from './filter-form.module.css'
import { inputOf } from './filter-input.ts'

export interface FilterFormProps {
  readonly of: TypeView
  /** Undefined for a new filter. */
  readonly filter: Filter | undefined
  /** The property of a new filter. */
  readonly field?: string
  readonly onSave: (filter: Filter) => void
}

export function FilterForm({ of, filter, field: firstField, onSave }: FilterFormProps) {
  const { objectType } = of
  const names = Object.keys(objectType.properties)
  const [field, setField] = useState(filter?.field ?? firstField ?? names[0] ?? '')
  const [chosen, setChosen] = useState<Operator | undefined>(filter?.operator)
  const id = useId()
  const definition = objectType.properties[field.split('/')[0] ?? '']
  const operators = definition === undefined ? [] : operatorsOf(definition)
  const operator = chosen !== undefined && operators.includes(chosen) ? chosen : operators[0]
  const input = inputOf(scalarOf(objectType, field))
  const [value, setValue] = useState(filter === undefined ? '' : input.toInput(filter.value))
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
    <form className={styles.form} onSubmit={submit}>
      <label className="label" htmlFor={`${id}-field`}>
        Property
      </label>
      <select
        id={`${id}-field`}
        value={field}
        onChange={(event) => {
          setField(event.target.value)
          setValue('')
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {nameOfProperty(name, objectType.properties[name])}
          </option>
        ))}
      </select>
      <label className="label" htmlFor={`${id}-operator`}>
        Condition
      </label>
      <select
        id={`${id}-operator`}
        value={operator}
        onChange={(event) => setChosen(event.target.value as Operator)}
      >
        {operators.map((name) => (
          <option key={name} value={name}>
            {OPERATOR_NAMES[name]}
          </option>
        ))}
      </select>
      {operator !== undefined && needsValue(operator) && (
        <>
          <label className="label" htmlFor={`${id}-value`}>
            Value{input.hint === undefined ? '' : ` (${input.hint})`}
          </label>
          {input.kind === 'boolean' ? (
            <select
              id={`${id}-value`}
              value={value === 'false' ? 'false' : 'true'}
              onChange={(event) => setValue(event.target.value)}
            >
              <option value="true">true</option>
              <option value="false">false</option>
            </select>
          ) : (
            <input
              id={`${id}-value`}
              {...input.attributes}
              value={value}
              required
              // biome-ignore lint/a11y/noAutofocus: the panel has just been opened to write into
              autoFocus
              autoComplete="off"
              list={input.hasSuggestions ? `${id}-values` : undefined}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
          {input.hasSuggestions && <Suggestions id={`${id}-values`} of={of} property={field} />}
        </>
      )}
      <Button type="submit" kind="primary">
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
