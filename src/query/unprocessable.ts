import { ObjectQueryError } from '../contract/errors.ts'

/** A part of a request body that is JSON, but not what stands in that place. */
export function unprocessable(parameter: string, reason: string): ObjectQueryError {
  return new ObjectQueryError('Conjure:UnprocessableEntity', { parameter, reason })
}
