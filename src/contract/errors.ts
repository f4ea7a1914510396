/** The error that the core and the stores throw, and the body that clients receive. */
import {
  type CatalogueEntry,
  ERRORS,
  type ErrorCode,
  type ErrorName,
  STATUS_OF_CODE,
} from './error-catalogue.ts'

/** The body of every error response [7.2]. */
export interface ErrorBody {
  readonly errorCode: ErrorCode
  readonly errorName: ErrorName
  readonly errorInstanceId: string
  readonly errorDescription: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** An error with a name from the catalogue. Only `http/response/` turns it into a response. */
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

/** Returns the error of a parameter that is not valid. */
export function invalidArgument(parameter: string, reason: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', { parameter, reason })
}

/** Returns an error with the path of a part of the request in front of the parameter that it names. */
export function errorWithin(path: string, error: unknown): unknown {
  if (!(error instanceof ObjectQueryError)) return error
  const { errorName, parameters } = error
  const { parameter } = parameters
  const within = typeof parameter === 'string' ? `${path}.${parameter}` : path
  return new ObjectQueryError(
    errorName,
    { ...parameters, parameter: within },
    { cause: error.cause },
  )
}

/** Returns the error of work that is aborted because the client closed the connection. */
export function clientDisconnected(): ObjectQueryError {
  const reason = 'the client closed the connection'
  return new ObjectQueryError('Default:InvalidArgument', { reason })
}

/** Returns the HTTP status of an error. */
export function statusOf(errorName: ErrorName): number {
  const entry: CatalogueEntry = ERRORS[errorName]
  return entry.status ?? STATUS_OF_CODE[entry.errorCode]
}
