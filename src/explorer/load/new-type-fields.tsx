import { freeName } from '../../transfer/columns/column-names.ts'
import { SelectField, TextField } from '../ui/fields.tsx'
import { canBeKey, canBeTitle, mistakeInName, type TypeDraft } from './type-draft.ts'

export interface NewTypeFieldsProps {
  readonly draft: TypeDraft
  readonly isTaken: boolean
  readonly types: readonly { readonly apiName: string }[]
  readonly onChange: (draft: TypeDraft) => void
}

/** The name, the key and the title of a new type. */
export function NewTypeFields({ draft, isTaken, types, onChange }: NewTypeFieldsProps) {
  const { properties, apiName } = draft
  const free = freeName(apiName, (name) => types.some((type) => type.apiName === name))
  const named = (able: typeof canBeKey) =>
    properties.filter(able).map(({ name }) => [name, name] as const)
  return (
    <>
      <TextField
        label="Name of the type"
        value={apiName}
        autoComplete="off"
        spellCheck={false}
        error={isTaken ? `This type exists; ${free} is free.` : mistakeInName(apiName)}
        onChange={(name) => onChange({ ...draft, apiName: name })}
      />
      <SelectField
        label="Key, which identifies an object"
        value={draft.key ?? ''}
        options={[...named(canBeKey), ['', 'the number of the row']]}
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
