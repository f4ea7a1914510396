/** The editor of one filter: property, operator, value. */
import { type FormEvent, useId, useState } from 'react'
import { type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import { Button } from '../ui/button.tsx'
import { needsValue, OPERATOR_NAMES, operatorsOf } from '../view/operators.ts'
import type { Filter, Operator } from '../view/view-state.ts'
import { scalarOf } from '../view/where.ts'
import styles from './filter-form.module.css'

export interface FilterFormProps {
  readonly objectType: ObjectTypeDefinition
  /** Undefined for a new filter. */
  readonly filter: Filter | undefined
  readonly onSave: (filter: Filter) => void
}

const INPUT_TYPES: Readonly<Record<string, string>> = { date: 'date' }

export function FilterForm({ objectType, filter, onSave }: FilterFormProps) {
  const names = Object.keys(objectType.properties)
  const [field, setField] = useState(filter?.field ?? names[0] ?? '')
  const [chosen, setChosen] = useState<Operator | undefined>(filter?.operator)
  const [value, setValue] = useState(filter?.value ?? '')
  const id = useId()
  const definition = objectType.properties[field]
  const operators = definition === undefined ? [] : operatorsOf(definition)
  const operator = chosen !== undefined && operators.includes(chosen) ? chosen : operators[0]
  const scalar = scalarOf(objectType, field)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (operator === undefined) return
    onSave({ field, operator, value: needsValue(operator) ? value.trim() : '' })
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <label className="label" htmlFor={`${id}-field`}>
        Property
      </label>
      <select id={`${id}-field`} value={field} onChange={(event) => setField(event.target.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {objectType.properties[name]?.displayName ?? wordsOf(name)}
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
            Value
          </label>
          {scalar === 'boolean' ? (
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
              type={INPUT_TYPES[scalar ?? ''] ?? 'text'}
              value={value}
              required
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </>
      )}
      <Button type="submit" kind="primary">
        {filter === undefined ? 'Add the filter' : 'Save'}
      </Button>
    </form>
  )
}
