/** The fields for the values of a condition, which complete what is typed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ClipboardEvent, type KeyboardEvent, useId, useMemo, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { findType, linkAt } from '../api/ontology.ts'
import { suggestionsQuery } from '../queries/facet-query.ts'
import { foundQuery } from '../queries/find-objects.ts'
import { useValueTitles } from '../queries/linked-titles.ts'
import { useSession } from '../session/session.tsx'
import { CheckField, SelectField, TextField } from '../ui/fields.tsx'
import { useSettled } from '../ui/hooks.ts'
import { fieldAt, scalarIn } from '../view/field-at.ts'
import type { TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { inputOf } from './filter-input.ts'
import { type DayEdge, dayOf, momentOf } from './periods.ts'

interface ValueProps {
  readonly of: TypeView
  readonly path: string
  readonly canCount: boolean
  readonly takesFocus: boolean
}

interface ValueFieldProps extends ValueProps {
  readonly label: string
  /** The moment that a day without a time means: the first one by default. */
  readonly edge?: DayEdge | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

const BOOLEANS = [
  ['true', 'true'],
  ['false', 'false'],
] as const

export function ValueField({ label: name, value, edge, onChange, ...props }: ValueFieldProps) {
  const input = inputOf(scalarIn(fieldAt(props.of, props.path)?.type))
  const list = useId()
  const suggested = useSuggestions(props, value.trim())
  const label = `${name}${input.hint === undefined ? '' : ` (${input.hint})`}`
  if (input.kind === 'boolean') {
    return <SelectField label={label} value={value} options={BOOLEANS} onChange={onChange} />
  }
  if (input.kind === 'timestamp') {
    const { takesFocus } = props
    return <MomentField {...{ label: name, value, takesFocus, onChange }} edge={edge ?? 'start'} />
  }
  return (
    <>
      <TextField
        label={label}
        {...input.attributes}
        value={input.toInput(value)}
        autoFocus={props.takesFocus}
        list={suggested.length > 0 ? list : undefined}
        onChange={(text) => onChange(input.fromInput(text))}
      />
      <datalist id={list}>
        {suggested.map(({ value: each, hint, title }) => (
          <option key={each} value={each} label={[title, hint].filter(Boolean).join(' · ')} />
        ))}
      </datalist>
    </>
  )
}

interface MomentFieldProps extends Pick<ValueFieldProps, 'label' | 'value' | 'onChange'> {
  readonly takesFocus: boolean
  readonly edge: DayEdge
}

/** A day, and a time if it is not the whole day that counts. */
function MomentField({ label, value, edge, takesFocus, onChange }: MomentFieldProps) {
  const [day = '', time = ''] = value.replace(/Z$/, '').split('T')
  const isWhole = value === '' || dayOf(value, edge) !== undefined
  const shownTime = isWhole ? '' : time.replace(/^(\d\d:\d\d):00(\.0*)?$/, '$1').slice(0, 12)
  const write = (newDay: string, newTime: string) => {
    if (newDay === '') onChange('')
    else if (newTime === '') onChange(momentOf(newDay, edge))
    else onChange(new Date(`${newDay}T${newTime}Z`).toISOString())
  }
  return (
    <div className="grid grid-cols-[3fr_2fr] gap-1.5">
      <TextField
        label={label}
        type="date"
        autoFocus={takesFocus}
        value={day}
        onChange={(next) => write(next, shownTime)}
      />
      <TextField
        label="Time (UTC)"
        type="time"
        step={shownTime.length > 5 ? 0.001 : 60}
        value={shownTime}
        onChange={(next) => write(day, next)}
      />
    </div>
  )
}

interface ListFieldProps extends ValueProps {
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
}

/** Several values: check boxes for those that are chosen and for those that fit what is typed. */
export function ListField({ values, onChange, ...props }: ListFieldProps) {
  const input = inputOf(scalarIn(fieldAt(props.of, props.path)?.type))
  const [typed, setTyped] = useState('')
  const suggested = useSuggestions(props, typed.trim())
  const add = (...more: readonly string[]) => {
    onChange([...new Set([...values, ...more.filter(Boolean)])])
    setTyped('')
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || typed.trim() === '') return
    event.preventDefault()
    if (event.currentTarget.checkValidity()) add(input.fromInput(typed.trim()))
  }
  // A column of a spreadsheet is a list.
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text').split(/[\n\r\t]+/)
    if (pasted.length < 2) return
    event.preventDefault()
    add(...pasted.map((value) => value.trim()))
  }
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((each) => each !== value) : [...values, value])
  const others = suggested.filter(({ value }) => !values.includes(value))
  const known = new Map(suggested.map((each) => [each.value, each]))
  const options = [...values.map((value) => known.get(value) ?? { value }), ...others]
  const titles = useTitles(props, options)
  return (
    <>
      <TextField
        label={`Values${input.hint === undefined ? '' : ` (${input.hint})`}`}
        {...input.attributes}
        placeholder="Type, then Enter"
        value={typed}
        autoFocus={props.takesFocus}
        onChange={setTyped}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <fieldset className="grid gap-1 max-h-48 m-0 p-0 border-0 overflow-auto" aria-label="Choices">
        {options.map(({ value, hint }: Suggestion) => (
          <CheckField
            key={value}
            label={titles(value) ?? (value || '(empty text)')}
            hint={[titles(value) === undefined ? '' : value, hint ?? '']
              .filter(Boolean)
              .join(' · ')}
            isOn={values.includes(value)}
            onChange={() => toggle(value)}
          />
        ))}
      </fieldset>
    </>
  )
}

interface Suggestion {
  readonly value: string
  readonly title?: string | undefined
  /** How many objects have the value. */
  readonly hint?: string | undefined
}

/**
 * Returns values that fit what is typed: the most frequent ones of the view, and for a foreign key
 * the objects with such a title. Behind a link, those of all linked objects.
 */
function useSuggestions({ of, path, canCount }: ValueProps, typed: string): readonly Suggestion[] {
  const { service } = useSession()
  const field = fieldAt(of, path)
  const settled = useSettled(typed)
  const isOwn = field?.links.length === 0
  const objectType = field?.objectType ?? of.objectType
  const name = field?.path ?? ''
  const asked = isOwn ? of : { ontology: of.ontology, objectType, view: EMPTY_VIEW }
  const { hasSuggestions } = inputOf(scalarIn(field?.type))
  // Fields of structs cannot be counted.
  const isCounted = hasSuggestions && name !== '' && !name.includes('/')
  const { data: counted = [] } = useQuery({
    ...suggestionsQuery(service, asked, name, settled),
    enabled: isCounted && (canCount || !isOwn),
    placeholderData: keepPreviousData,
  })
  const link = linkAt(of.ontology, objectType.apiName, name)
  const target = link && findType(of.ontology, link.target)
  const { data: found = [] } = useQuery({
    ...foundQuery(service, { ontology: of.ontology, objectType: target ?? objectType }, settled),
    enabled: target !== undefined && settled.length > 1,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => {
    const frequent = counted.map(({ value, count }) => ({ value, hint: formatCount(count) }))
    const isNew = ({ key }: { readonly key: string }) => !counted.some(({ value }) => value === key)
    const titled = found.filter(isNew).map(({ key, title }) => ({ value: key, title }))
    return typed === '' || target === undefined ? frequent : [...frequent, ...titled]
  }, [counted, found, typed, target])
}

function useTitles({ of, path }: ValueProps, options: readonly Suggestion[]) {
  const field = fieldAt(of, path)
  const values = options.map(({ value }) => value).join('\0')
  const memoised = useMemo(() => values.split('\0'), [values])
  const shown = { ontology: of.ontology, objectType: field?.objectType ?? of.objectType }
  return useValueTitles(shown, field?.path ?? '', memoised)
}
