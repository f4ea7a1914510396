/**
 * The error catalogue: every name that can stand in an error body, its code, and the sentence that
 * explains it. Names and codes are those of the public APIs; `docs/errors.md` explains each one,
 * and a test holds the two together.
 */

/** The error codes of the wire, with the HTTP status that each one means [7.2]. */
export const STATUS_OF_CODE = {
  UNAUTHORIZED: 401,
  PERMISSION_DENIED: 403,
  INVALID_ARGUMENT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  REQUEST_ENTITY_TOO_LARGE: 413,
  INTERNAL: 500,
  CUSTOM_CLIENT: 400,
  CUSTOM_SERVER: 500,
} as const

export type ErrorCode = keyof typeof STATUS_OF_CODE

interface CatalogueEntry {
  readonly errorCode: ErrorCode
  /** Only where the status differs from that of the code. */
  readonly status?: number
  readonly description: string
}

export const ERRORS = {
  // Who asks
  MissingCredentials: {
    errorCode: 'UNAUTHORIZED',
    description: 'Send a bearer token in the Authorization header, with every request.',
  },
  'Default:Unauthorized': {
    errorCode: 'UNAUTHORIZED',
    description: 'The bearer token is unknown, expired or revoked.',
  },
  ApiUsageDenied: {
    errorCode: 'PERMISSION_DENIED',
    description: 'The bearer token lacks the scope that this endpoint needs.',
  },

  // What is asked for
  OntologyNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no such ontology, or none that you may see.',
  },
  ObjectTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no such object type, or none that you may see.',
  },
  'Default:NotFound': {
    errorCode: 'NOT_FOUND',
    description: 'There is no endpoint with this method and path.',
  },

  // How it is asked
  InvalidPageSize: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The page size must be a whole number from 1 up; large ones are reduced.',
  },
  InvalidPageToken: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The page token cannot be used for this request; start again without it.',
  },
  ObjectsExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'This listing ends at its retrieval limit and more objects exist. Narrow the question, or ask the operator to raise the limit.',
  },
  MissingPostBody: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This endpoint needs a request body.',
  },
  'Default:InvalidArgument': {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A part of the request cannot be read; the parameters name it.',
  },
  'Conjure:UnprocessableEntity': {
    errorCode: 'INVALID_ARGUMENT',
    status: 422,
    description: 'The request body is JSON, but not what this endpoint takes.',
  },
  'Conjure:UnsupportedMediaType': {
    errorCode: 'INVALID_ARGUMENT',
    status: 415,
    description: 'This endpoint takes another Content-Type.',
  },
  'Default:RequestEntityTooLarge': {
    errorCode: 'REQUEST_ENTITY_TOO_LARGE',
    description: 'The request is larger than this endpoint takes.',
  },

  // Writing
  InvalidOntologyDefinition: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The ontology definition has mistakes; the parameters give the path of each.',
  },
  OntologyChangeRefused: {
    errorCode: 'CONFLICT',
    description: 'The changed definition would invalidate stored objects; nothing was changed.',
  },
  OntologyDefinitionOutOfSync: {
    errorCode: 'CONFLICT',
    description: 'The definition changed while this request was at work; send the request again.',
  },
  InvalidBatchLine: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A line of the batch was refused; nothing of the batch was kept.',
  },

  // The service itself
  ServiceUnavailable: {
    errorCode: 'CUSTOM_SERVER',
    status: 503,
    description: 'The service cannot do this right now; try again shortly.',
  },
  'Default:Internal': {
    errorCode: 'INTERNAL',
    description: 'Something went wrong; the log knows more under this errorInstanceId.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorName = keyof typeof ERRORS

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
