/** The responses that endpoints have in common. */

import { type TSchema, Type } from 'typebox'
import { ERRORS, type ErrorName } from '../../contract/error-catalogue.ts'
import { anyMembers, integer, namedObject } from '../../contract/schema-parts.ts'

/** The result of a write. */
export const CommitResponse = namedObject('Commit', {
  version: integer('The version that contains the changes.'),
  put: integer('The number of objects written.'),
  deleted: integer('The number of existing objects that were deleted.'),
  kept: Type.Optional(
    integer('With `mode=append`: the number of existing objects left unchanged.'),
  ),
})

export const ErrorResponse = Type.Object(
  {
    errorCode: Type.String(),
    errorName: Type.Enum(Object.keys(ERRORS) as ErrorName[]),
    errorInstanceId: Type.String(),
    errorDescription: Type.String(),
    parameters: anyMembers(),
  },
  { $id: 'Error', description: 'The body of every error.' },
)

/** Returns the responses of an endpoint that sends 200 or an error. */
export function responses<T extends TSchema>(success: T) {
  const error = Type.Ref('Error#')
  return { 200: success, '4xx': error, '5xx': error }
}

/** Returns the responses of a GET endpoint, which supports conditional requests. */
export function readResponses<T extends TSchema>(success: T) {
  const notModified = Type.Null({
    description: 'Not modified: the response still has the `ETag` sent as `If-None-Match`.',
  })
  return { ...responses(success), 304: notModified }
}
