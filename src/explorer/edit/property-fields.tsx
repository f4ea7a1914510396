/** A form with one field for each property, by its type. */

import { useMemo, useState } from 'react'
import {
  nameOfProperty,
  type ObjectTypeDefinition,
  type PropertyDefinition,
  type ValueTypes,
  wordsOf,
} from '../api/ontology.ts'
import { SelectField, TextArea, TextField } from '../ui/fields.tsx'
import type { Difference } from '../view/differences.ts'
import { valueChecker } from './check-values.ts'
import { DateField } from './date-field.tsx'
import { draftOf, isWrittenAsJson, type Properties, readDraft, readJson } from './object-draft.ts'

export interface DraftFieldsProps {
  readonly draft: DraftForm
  readonly objectType: ObjectTypeDefinition
  /** The key of an object that exists cannot change. */
  readonly isKeyFixed: boolean
}

const MAX_ROWS = 8
const BOOLEANS = [
  ['', 'no value'],
  ['true', 'true'],
  ['false', 'false'],
] as const

export function DraftFields({ draft, objectType, isKeyFixed }: DraftFieldsProps) {
  const { form, texts, json, written, setTexts, setJson } = draft
  const { mistakes } = written
  if (form === 'json') {
    const [name, mistake] = Object.entries(mistakes)[0] ?? []
    const error = mistake && (name === 'json' ? mistake : `${name}: ${mistake}`)
    const label = 'JSON of the properties'
    return <TextArea label={label} rows={16} value={json} error={error} onChange={setJson} />
  }
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,300px),1fr))] gap-4">
      {Object.entries(objectType.properties).map(([name, definition]) => {
        const value = texts[name] ?? ''
        const common = {
          label: labelOf(name, definition),
          value,
          error: mistakes[name],
          onChange: (text: string) => setTexts({ ...texts, [name]: text }),
        }
        if (definition.type === 'boolean') {
          return <SelectField key={name} {...common} options={BOOLEANS} />
        }
        const options = optionsOf(definition, value)
        if (options !== undefined) return <SelectField key={name} {...common} options={options} />
        if (isWrittenAsJson(definition) || value.includes('\n')) {
          const rows = Math.min(MAX_ROWS, value.split('\n').length + 1)
          return <TextArea key={name} {...common} rows={rows} />
        }
        const readOnly = isKeyFixed && name === objectType.primaryKey
        if (definition.type === 'date' || definition.type === 'timestamp') {
          return <DateField key={name} {...common} type={definition.type} readOnly={readOnly} />
        }
        return (
          <TextField
            key={name}
            {...common}
            readOnly={readOnly}
            inputMode={definition.type === 'integer' ? 'numeric' : 'text'}
          />
        )
      })}
    </div>
  )
}

function labelOf(name: string, definition: PropertyDefinition): string {
  const note = definition.required === true ? `${definition.type}, required` : definition.type
  return `${nameOfProperty(name, definition)} (${note})`
}

/** More values are easier to type than to find in a list. */
const MAX_OPTIONS = 50

/** Returns the allowed values of a text, if they are few; with the value that it has. */
function optionsOf({ type, constraints = [] }: PropertyDefinition, value: string) {
  const { options = [] } = constraints.find((one) => one.type === 'enum') ?? {}
  if (type !== 'string' || options.length === 0 || options.length > MAX_OPTIONS) return undefined
  const texts = new Set(['', value, ...options.map(String)])
  return Array.from(texts, (text) => [text, text === '' ? 'no value' : text] as const)
}

const VALUE =
  'mono mt-1 mb-0 mx-0 py-1 px-2 border-l-3 rounded-xs wrap-anywhere whitespace-pre-wrap'

/** The changes of a write: the old value above the new one, for each property. */
export function ChangeList({ changes }: { readonly changes: readonly Difference[] }) {
  if (changes.length === 0) return <p className="label">Nothing has changed.</p>
  return (
    <dl className="grid gap-3 m-0" aria-label="Changes">
      {changes.map(({ property, before, after }) => (
        <div key={property}>
          <dt className="label">{wordsOf(property)}</dt>
          {before !== undefined && (
            <dd className={`${VALUE} border-danger bg-danger/10`}>
              <span className="sr-only">before: </span>
              <del className="text-ink no-underline">{show(before)}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd className={`${VALUE} border-ok bg-ok/10`}>
              <span className="sr-only">after: </span>
              <ins className="text-ink no-underline">{show(after)}</ins>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type Form = 'form' | 'json'

/** The texts of an object that is edited, as a form or as JSON. */
export function useDraft(
  objectType: ObjectTypeDefinition,
  valueTypes: ValueTypes | undefined,
  base: Properties | undefined,
) {
  const [form, setForm] = useState<Form>('form')
  const [texts, setTexts] = useState(() => draftOf(objectType, base ?? {}))
  const [json, setJson] = useState('')
  const check = useMemo(() => valueChecker(objectType, valueTypes), [objectType, valueTypes])
  const written =
    form === 'form'
      ? readDraft(objectType, texts, check, base)
      : readJson(objectType, json, check, base)
  const reset = (properties: Properties, next: Form) => {
    setTexts(draftOf(objectType, properties))
    setJson(JSON.stringify(properties, undefined, 2))
    setForm(next)
  }
  const changeForm = (next: Form) => {
    // A text that cannot be read stays where it was written. In the form, a missing key is no text.
    const isLost = (name: string) => form === 'json' || name !== objectType.primaryKey
    if (!Object.keys(written.mistakes).some(isLost)) reset(written.properties, next)
  }
  const hasMistakes = Object.keys(written.mistakes).length > 0
  return { form, texts, json, written, hasMistakes, setTexts, setJson, changeForm, reset }
}

type DraftForm = ReturnType<typeof useDraft>
