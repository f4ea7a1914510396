/** A form with one field for each property, by its type. */
import { type ObjectTypeDefinition, type PropertyDefinition, wordsOf } from '../api/ontology.ts'
import { SelectField, TextArea, TextField } from '../ui/fields.tsx'
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
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,300px),1fr))] gap-4">
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
const BOOLEANS = [
  ['', 'no value'],
  ['true', 'true'],
  ['false', 'false'],
] as const

function PropertyField({ name, definition, text, mistake, isFixed, onChange }: PropertyFieldProps) {
  const common = {
    label: `${definition.displayName ?? wordsOf(name)} (${definition.type})`,
    value: text,
    error: mistake,
    onChange,
  }
  if (definition.type === 'boolean') return <SelectField {...common} options={BOOLEANS} />
  if (isWrittenAsJson(definition) || text.includes('\n')) {
    return <TextArea {...common} rows={Math.min(MAX_ROWS, text.split('\n').length + 1)} />
  }
  return (
    <TextField
      {...common}
      readOnly={isFixed}
      inputMode={definition.type === 'integer' ? 'numeric' : 'text'}
      autoComplete="off"
    />
  )
}
