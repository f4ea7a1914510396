/** Errors about members of a request body that are valid JSON but not valid for the endpoint. */

import { ObjectQueryError } from '../../contract/errors.ts'

/** Returns the error for one member; `parameter` is its path. */
export function unprocessable(parameter: string, reason: string): ObjectQueryError {
  return new ObjectQueryError('Conjure:UnprocessableEntity', { parameter, reason })
}

/** Throws if an object has a member that is not allowed. Names the allowed ones. */
export function refuseUnknownMembers(
  value: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  path: string,
  subject: string,
): void {
  const unknown = Object.keys(value).find((name) => !allowed.includes(name))
  if (unknown === undefined) return
  throw unprocessable(
    `${path}.${unknown}`,
    `${subject} has no such member; allowed members: ${allowed.join(', ')}`,
  )
}
