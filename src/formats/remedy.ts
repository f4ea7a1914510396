/**
 * What a user can do about data that cannot be read or written, as facts. Each interface says in its
 * own terms how: the command line by its options, a page by its fields.
 */
export type Remedy =
  | { readonly do: 'nameEncoding' | 'checkFormat' | 'raiseTemporaryBytes' }
  /** A Parquet column of an unknown type; one without a logical type can be read as text. */
  | { readonly do: 'skipColumn'; readonly column: string; readonly canBeText: boolean }
  | { readonly do: 'skipOrMapColumns'; readonly columns: readonly string[] }
  | { readonly do: 'skipOneColumn' | 'chooseDuplicate' | 'chooseKey' | 'flatten' }
  | { readonly do: 'provideKey'; readonly property: string; readonly areNumbersTaken: boolean }
  | { readonly do: 'keepTexts'; readonly column: string }
  | { readonly do: 'chooseNumberStyle'; readonly column: string }
  | { readonly do: 'chooseDateFormat'; readonly formats: readonly string[] }
  | { readonly do: 'inferType' | 'replaceOrCopyOntology' | 'allowRejections' }
  | { readonly do: 'mergeOrReplaceValues' }
  | { readonly do: 'resume' | 'startAgain' | 'repeatOrStartAgain' }

/** A remark about data, and what the user can do about it. */
export interface Note {
  readonly text: string
  readonly remedies?: readonly Remedy[]
}

/** An error that names what the user can do about it. */
export class RemediableError extends Error {
  readonly remedy: Remedy | undefined

  constructor(
    message: string,
    { remedy, ...options }: ErrorOptions & { readonly remedy?: Remedy | undefined } = {},
  ) {
    super(message, options)
    this.remedy = remedy
  }
}
