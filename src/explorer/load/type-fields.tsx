/** The fields of a new type that both dialogs have: where it goes, its name, its key and its title. */
import { SelectField, TextField } from '../ui/fields.tsx'
import { canBeKey, canBeTitle, type TypeDraft } from './type-draft.ts'
import type { OntologyChoice } from './use-load-plan.ts'

const NEW = ' new'

export interface NameFieldsProps {
  readonly choice: OntologyChoice
  /** Undefined without a new type. */
  readonly draft?: TypeDraft
  readonly error?: string | undefined
  readonly onChange?: (draft: TypeDraft) => void
}

/** Chooses an ontology, or names a new one, and names the type. */
export function NameFields({ choice, draft, error, onChange }: NameFieldsProps) {
  const { ontologies, name, isNew, canCreate, mistake } = choice
  const existing = ontologies.map(
    ({ apiName, displayName }) => [apiName, displayName || apiName] as const,
  )
  return (
    <>
      {ontologies.length > 0 && (
        <SelectField
          label="Ontology"
          value={isNew ? NEW : name}
          options={canCreate ? [...existing, [NEW, 'New ontology…']] : existing}
          onChange={(value) => (value === NEW ? choice.create('') : choice.choose(value))}
        />
      )}
      {isNew && (
        <TextField
          label="Name of the new ontology"
          value={name}
          spellCheck={false}
          error={name === '' ? undefined : mistake}
          onChange={choice.create}
        />
      )}
      {draft && (
        <TextField
          label="Name of the type"
          value={draft.apiName}
          spellCheck={false}
          error={error}
          onChange={(apiName) => onChange?.({ ...draft, apiName })}
        />
      )}
    </>
  )
}

export interface KeyFieldsProps {
  readonly draft: TypeDraft
  /** Whether a property must be the key; otherwise the number of the row can be. */
  readonly isRequired?: boolean
  readonly onChange: (draft: TypeDraft) => void
}

export function KeyFields({ draft, isRequired = false, onChange }: KeyFieldsProps) {
  const named = (able: typeof canBeKey) =>
    draft.properties.filter(able).map(({ name }) => [name, name] as const)
  const keys = named(canBeKey)
  const toChoose = draft.key === undefined ? [['', 'choose one'] as const, ...keys] : keys
  return (
    <>
      <SelectField
        label="Key, which identifies an object"
        value={draft.key ?? ''}
        options={isRequired ? toChoose : [...keys, ['', 'the number of the row']]}
        onChange={(key) => onChange({ ...draft, key: key || undefined })}
      />
      <SelectField
        label="Title"
        value={draft.title ?? ''}
        options={[['', 'the key'], ...named(canBeTitle)]}
        onChange={(title) => onChange({ ...draft, title: title || undefined })}
      />
    </>
  )
}
