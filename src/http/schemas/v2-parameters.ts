/** Parameters that SDKs send to every endpoint of v2. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed } from '../../contract/schema-parts.ts'
import { documentedWith } from './documented.ts'

/**
 * Query parameters that SDKs send and that change nothing here. `preview` is required by the public
 * API for some endpoints; this service offers them without it. There is only one branch, so
 * `refuseBranch` rejects the name of any other.
 */
const ignoredParameters = {
  preview: Type.Optional(Type.Boolean({ description: 'Has no effect.' })),
  sdkPackageRid: Type.Optional(Type.String({ description: 'Has no effect.' })),
  sdkVersion: Type.Optional(Type.String({ description: 'Has no effect.' })),
  branch: Type.Optional(
    documentedWith(Type.String({ description: 'Must be empty: there are no branches.' }), {
      maxLength: 0,
    }),
  ),
  executeInMemoryOnly: Type.Optional(Type.Boolean({ description: 'Has no effect.' })),
}

/** The query string of an endpoint without parameters of its own. */
export const V2Parameters = v2Parameters({})

/** Returns the query string of an endpoint with the given parameters. */
export function v2Parameters<T extends Record<string, TSchema>>(parameters: T) {
  return Type.Object({ ...parameters, ...ignoredParameters }, closed)
}

/** Rejects requests that name a branch. */
export function refuseBranch(query: unknown): void {
  const { branch } = query as { readonly branch?: string }
  if (branch !== undefined && branch !== '') {
    throw new ObjectQueryError('FoundryBranchNotFound', { branch })
  }
}
