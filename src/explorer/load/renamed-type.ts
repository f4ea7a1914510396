import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'

export interface TypeNames {
  readonly apiName: string
  /** Empty for the words of the API name. */
  readonly displayName: string
}

/** Returns a definition in which a type has other names; its objects and links stay. */
export function withRenamedType(
  definition: OntologyDefinition,
  before: string,
  { apiName, displayName }: TypeNames,
): OntologyDefinition {
  const nameNow = (name: string) => (name === before ? apiName : name)
  return {
    ...definition,
    objectTypes: definition.objectTypes.map((type) => {
      if (type.apiName !== before) return type
      const { displayName: _, ...rest } = type
      return {
        ...rest,
        apiName,
        ...(displayName === '' ? {} : { displayName }),
        ...(apiName === before ? {} : { renamedFrom: before }),
      }
    }),
    ...(definition.linkTypes === undefined
      ? {}
      : {
          linkTypes: definition.linkTypes.map((link) => ({
            ...link,
            from: nameNow(link.from),
            to: nameNow(link.to),
          })),
        }),
  }
}
