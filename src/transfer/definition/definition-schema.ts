import { OntologyDefinition, StructFields } from '../../ontology/definition/definition-schema.ts'

/** Returns the JSON schema of definitions as one document, as editors understand it. */
export function definitionSchema(): object {
  const { $id, ...structFields } = StructFields as typeof StructFields & { readonly $id: string }
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Ontology definition of the Object Query Service',
    ...OntologyDefinition,
    $defs: { [$id]: structFields },
  }
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      name === '$ref' && value === `${$id}#` ? `#/$defs/${$id}` : value,
    ),
  )
}
