/** A form with one field for each property, by its type. */
import { useId } from 'react'
import { type ObjectTypeDefinition, type PropertyDefinition, wordsOf } from '../api/ontology.ts'
import { TextField } from '../ui/text-field.tsx'
import styles from './edit.module.css'
import { isWrittenAsJson, type ObjectDraft } from './object-draft.ts'

export interface PropertyFieldsProps {
  readonly objectType: ObjectTypeDefinition
  readonly draft: ObjectDraft
  readonly mistakes: Readonly<Record<string, string>>
  /** The key of an object that exists cannot change. */
  readonly isKeyFixed: boolean
  readonly onChange: (draft: ObjectDraft) => void
}

export function PropertyFields(props: PropertyFieldsProps) {
  const { objectType, draft, mistakes, isKeyFixed, onChange } = props
  return (
    <div className={styles.fields}>
      {Object.entries(objectType.properties).map(([name, definition]) => (
        <PropertyField
          key={name}
          name={name}
          definition={definition}
          text={draft[name] ?? ''}
          mistake={mistakes[name]}
          isFixed={isKeyFixed && name === objectType.primaryKey}
          onChange={(text) => onChange({ ...draft, [name]: text })}
        />
      ))}
    </div>
  )
}

interface PropertyFieldProps {
  readonly name: string
  readonly definition: PropertyDefinition
  readonly text: string
  readonly mistake: string | undefined
  readonly isFixed: boolean
  readonly onChange: (text: string) => void
}

const MAX_ROWS = 8

function PropertyField({ name, definition, text, mistake, isFixed, onChange }: PropertyFieldProps) {
  const id = useId()
  const label = `${definition.displayName ?? wordsOf(name)} (${definition.type})`
  if (definition.type === 'boolean') {
    return (
      <div className={styles.field}>
        <label className="label" htmlFor={id}>
          {label}
        </label>
        <select id={id} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">no value</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      </div>
    )
  }
  if (isWrittenAsJson(definition) || text.includes('\n')) {
    return (
      <div className={styles.field}>
        <label className="label" htmlFor={id}>
          {label}
        </label>
        <textarea
          id={id}
          className="mono"
          rows={Math.min(MAX_ROWS, text.split('\n').length + 1)}
          spellCheck={false}
          value={text}
          aria-invalid={mistake !== undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        {mistake !== undefined && <p role="alert">{mistake}</p>}
      </div>
    )
  }
  return (
    <TextField
      label={label}
      value={text}
      readOnly={isFixed}
      inputMode={definition.type === 'integer' ? 'numeric' : 'text'}
      autoComplete="off"
      onChange={onChange}
      error={mistake}
    />
  )
}
