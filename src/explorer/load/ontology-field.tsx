import { SelectField, TextField } from '../ui/fields.tsx'
import type { OntologyChoice } from './use-ontology-choice.ts'

const NEW = ' new'

/** Chooses an ontology, or names a new one. */
export function OntologyField({ choice }: { readonly choice: OntologyChoice }) {
  const { ontologies, name, isNew, canCreate, mistake } = choice
  const existing = ontologies.map(
    ({ apiName, displayName }) => [apiName, displayName || apiName] as const,
  )
  const options = canCreate ? [...existing, [NEW, 'New ontology…'] as const] : existing
  return (
    <>
      {ontologies.length > 0 && (
        <SelectField
          label="Ontology"
          value={isNew ? NEW : name}
          options={options}
          onChange={(value) => (value === NEW ? choice.create('') : choice.choose(value))}
        />
      )}
      {isNew && (
        <TextField
          label="Name of the new ontology"
          value={name}
          autoComplete="off"
          spellCheck={false}
          error={name === '' ? undefined : mistake}
          onChange={choice.create}
        />
      )}
    </>
  )
}
