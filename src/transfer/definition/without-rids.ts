interface WithRids {
  readonly rid?: string
  readonly objectTypes?: readonly { readonly rid?: string }[]
}

/** Returns a definition without the identifiers of the service that it comes from. */
export function withoutRids<Definition extends WithRids>(definition: Definition): Definition {
  const { rid: _, objectTypes, ...rest } = definition
  const types = objectTypes?.map(({ rid: _rid, ...type }) => type)
  return { ...rest, ...(types && { objectTypes: types }) } as unknown as Definition
}
