/** Parameters that SDKs send to every endpoint of v2. */

import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { documentedWith, flag, text } from '../../contract/schema-parts.ts'

/**
 * Query parameters that SDKs send and that change nothing here. `preview` is required by the public
 * API for some endpoints; this service offers them without it. There is only one branch, so
 * `refuseBranch` rejects the name of any other.
 */
export const IGNORED_PARAMETERS = {
  preview: Type.Optional(flag('Has no effect.')),
  sdkPackageRid: Type.Optional(text('Has no effect.')),
  sdkVersion: Type.Optional(text('Has no effect.')),
  branch: Type.Optional(
    documentedWith(text('Must be empty: there are no branches.'), {
      maxLength: 0,
    }),
  ),
  executeInMemoryOnly: Type.Optional(flag('Has no effect.')),
}

/** Rejects requests that name a branch. */
export function refuseBranch(query: unknown): void {
  const { branch } = query as { readonly branch?: string }
  if (branch !== undefined && branch !== '') {
    throw new ObjectQueryError('FoundryBranchNotFound', { branch })
  }
}
