/** The errors that the core and the stores throw, and the body that clients get for them. */
import {
  type CatalogueEntry,
  ERRORS,
  type ErrorCode,
  type ErrorName,
  STATUS_OF_CODE,
} from './error-catalogue.ts'

/** The one body shape of every error [7.2]. */
export interface ErrorBody {
  readonly errorCode: ErrorCode
  readonly errorName: ErrorName
  readonly errorInstanceId: string
  readonly errorDescription: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What the core and the stores throw; only `http/error-response.ts` makes a response of it. */
export class ObjectQueryError extends Error {
  readonly errorName: ErrorName
  readonly parameters: Readonly<Record<string, unknown>>

  constructor(
    errorName: ErrorName,
    parameters: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(`${errorName}: ${ERRORS[errorName].description}`, options)
    this.name = 'ObjectQueryError'
    this.errorName = errorName
    this.parameters = parameters
  }
}

export function statusOf(errorName: ErrorName): number {
  const entry: CatalogueEntry = ERRORS[errorName]
  return entry.status ?? STATUS_OF_CODE[entry.errorCode]
}
