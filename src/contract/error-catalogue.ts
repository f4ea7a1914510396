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
  TIMEOUT: 504,
  CUSTOM_CLIENT: 400,
  CUSTOM_SERVER: 500,
} as const

export type ErrorCode = keyof typeof STATUS_OF_CODE

export interface CatalogueEntry {
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
    description: 'There is no endpoint with this path.',
  },
  'Default:MethodNotAllowed': {
    errorCode: 'INVALID_ARGUMENT',
    status: 405,
    description: 'The path is known, but not with this method; the parameters name those it has.',
  },

  ReplacementNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no such replacement: it was published, given up or never started.',
  },
  VersionNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The objects as of this version cannot be read, or no longer.',
  },
  ObjectNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no object with this primary key.',
  },
  PropertiesNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object type has no such properties.',
  },
  LinkTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object type has no such link.',
  },
  LinkedObjectNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'No object with this primary key is linked to the object.',
  },
  InvalidOntologyTypes: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query names properties, object types or links that do not exist.',
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
      'This listing ends at its retrieval limit and more objects exist. Narrow it with filters, use search by type, which has no limit, or ask the operator to raise it.',
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

  // Questions
  InvalidFields: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A field of a query or an order is written properties.NAME.',
  },
  InvalidPropertyValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value is not one that the property can have.',
  },
  PropertyTypesSearchNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Properties of this type cannot be asked in this way.',
  },
  InvalidAndFilter: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An and needs at least one query.',
  },
  InvalidOrFilter: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An or needs at least one query.',
  },
  QueryDepthExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query is nested too deeply.',
  },
  QueryTermsExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query has too many conditions.',
  },
  QueryTextExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A text in the query is too long.',
  },
  InvalidRangeQuery: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The lower end of the range is above its upper end.',
  },
  DuplicateOrderBy: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The order names a property more than once.',
  },
  InvalidSortOrder: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A direction is asc or desc.',
  },
  InvalidSortType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An order term begins with properties. or p.',
  },
  PropertiesNotSortable: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Objects cannot be put in order by properties of this type.',
  },
  MalformedPropertyFilters: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A filter is written properties.NAME.OPERATOR=VALUE.',
  },
  PropertyFiltersNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Properties of this type do not know these filters.',
  },
  InvalidPropertyFilterValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value of the filter is not one that the property can have.',
  },
  MultiplePropertyValuesNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This filter takes one value only.',
  },
  InvalidPropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Properties of this type cannot be aggregated in this way.',
  },
  AggregationMetricNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'There is no such metric.',
  },
  MultipleGroupByOnFieldNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An aggregation groups by a property once.',
  },
  InvalidAggregationRange: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A range has one lower bound and one upper bound that is not below it.',
  },
  InvalidAggregationRangeValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The bound of a range is not a value that the property can have.',
  },
  InvalidAggregationRangePropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Only numbers, dates and timestamps are grouped by ranges.',
  },
  InvalidDurationGroupByPropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Only dates and timestamps are grouped by a duration.',
  },
  InvalidDurationGroupByValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The duration is not one that this property can be grouped by.',
  },
  AggregationGroupCountExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The aggregation has too many groups; ask for fewer with maxGroupCount.',
  },
  AggregationMemoryExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The answer would be too large; ask for fewer groups or metrics.',
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
  ReplacementsExceededLimit: {
    errorCode: 'CONFLICT',
    description:
      'The object type has too many open replacements; publish one, give one up, or wait until idle ones expire.',
  },
  InvalidBatchLine: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A line of the batch was refused; nothing of the batch was kept.',
  },

  // The service itself
  TooManyRequests: {
    errorCode: 'CUSTOM_CLIENT',
    status: 429,
    description: 'You use more of the service than your share; wait as long as Retry-After says.',
  },
  QueryTimedOut: {
    errorCode: 'TIMEOUT',
    description: 'The query took longer than queries may take here; narrow it.',
  },
  QueryMemoryExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query needs more memory than queries may use here; narrow it.',
  },
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
