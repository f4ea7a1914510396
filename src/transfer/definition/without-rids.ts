interface WithRids {
  readonly rid?: string
  readonly objectTypes?: readonly { readonly rid?: string }[]
}

/** Returns a definition without the identifiers of the service that it comes from. */
export function withoutRids<Definition extends WithRids>(definition: Definition): Definition {
  const objectTypes = definition.objectTypes?.map(({ rid: _, ...type }) => type)
  // JSON leaves out what is undefined.
  return Object.assign({}, definition, { rid: undefined, objectTypes })
}
