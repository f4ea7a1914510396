/** Errors between threads. They are sent as plain data, because class instances cannot be sent. */
import type { ErrorName } from '../contract/error-catalogue.ts'
import { ObjectQueryError } from '../contract/errors.ts'

export type SentError =
  | { readonly refused: { readonly errorName: ErrorName; readonly parameters: object } }
  | { readonly failed: { readonly message: string; readonly stack: string | undefined } }

export function sentError(error: unknown): SentError {
  if (error instanceof ObjectQueryError) {
    return { refused: { errorName: error.errorName, parameters: error.parameters } }
  }
  const { message, stack } = error as Error
  return { failed: { message, stack } }
}

export function receivedError(sent: SentError): Error {
  if ('failed' in sent) return Object.assign(new Error(), sent.failed)
  return new ObjectQueryError(sent.refused.errorName, { ...sent.refused.parameters })
}
