import { type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import { CheckField } from '../ui/fields.tsx'

export interface ColumnsFormProps {
  readonly objectType: ObjectTypeDefinition
  /** Undefined shows every property. */
  readonly columns: readonly string[] | undefined
  readonly onChange: (columns: readonly string[] | undefined) => void
}

/** Chooses the properties that the table shows. The key is always shown. */
export function ColumnsForm({ objectType, columns, onChange }: ColumnsFormProps) {
  const names = Object.keys(objectType.properties)
  const shown = columns ?? names
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name]
    onChange(next.length === names.length ? undefined : next)
  }
  return (
    <fieldset className="grid gap-1 max-h-90 overflow-auto">
      <legend className="visually-hidden">Columns</legend>
      {names.map((name) => (
        <CheckField
          key={name}
          label={objectType.properties[name]?.displayName ?? wordsOf(name)}
          isOn={name === objectType.primaryKey || shown.includes(name)}
          isFixed={name === objectType.primaryKey}
          onChange={() => toggle(name)}
        />
      ))}
    </fieldset>
  )
}
