/**
 * The error catalogue: the name, code and description of every error. Names and codes are those of
 * the public APIs. A test checks that `docs/reference/errors.md` explains each of them.
 */

/** The error codes of the wire, each with its HTTP status [7.2]. */
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

/** An entry of the error catalogue. */
export interface CatalogueEntry {
  readonly errorCode: ErrorCode
  /** Set if the status differs from that of the code. */
  readonly status?: number
  readonly description: string
}

function entry(errorCode: ErrorCode, description: string): CatalogueEntry {
  return { errorCode, description }
}

const unauthorized = (description: string) => entry('UNAUTHORIZED', description)
const invalid = (description: string) => entry('INVALID_ARGUMENT', description)
const notFound = (description: string) => entry('NOT_FOUND', description)
const conflict = (description: string) => entry('CONFLICT', description)

export const ERRORS = {
  // Authentication and authorisation
  MissingCredentials: unauthorized(
    'The request has no Authorization header. Send a bearer token with every request.',
  ),
  'Default:Unauthorized': unauthorized(
    'The bearer token is unknown, expired or revoked. Send a valid token.',
  ),
  InvalidOneTimeCode: unauthorized(
    'The one-time code is unknown, was used already or has expired. Each code works once; ask for a new one.',
  ),
  ApiUsageDenied: entry(
    'PERMISSION_DENIED',
    'The bearer token does not allow this request; see the parameters. Use a token with the missing scope, ontology or right.',
  ),
  ApiTokenNotFound: notFound('There is no active API token with this id.'),
  PolicyNotFound: notFound('There is no policy with this name.'),
  OAuthClientNotFound: notFound('There is no OAuth client with this id.'),
  SavedViewNotFound: notFound(
    'There is no saved view with this id, or it is not visible to this token.',
  ),

  // Resources
  OntologyNotFound: notFound('The ontology does not exist, or is not visible to this token.'),
  ObjectTypeNotFound: notFound('The object type does not exist, or is not visible to this token.'),
  InterfaceTypeNotFound: notFound(
    'The interface type does not exist, or is not visible to this token.',
  ),
  ValueTypeNotFound: notFound('The value type does not exist, or is not visible to this token.'),
  InterfaceLinkTypeNotFound: notFound('The interface type does not have this link type.'),
  'Default:NotFound': notFound('No endpoint has this path.'),
  'Default:MethodNotAllowed': {
    ...entry(
      'INVALID_ARGUMENT',
      'The endpoint does not support this method. The parameters list the methods that it supports.',
    ),
    status: 405,
  },
  ReplacementNotFound: notFound(
    'The replacement does not exist: it was published, abandoned or never started, or it expired.',
  ),
  OntologyChangeNotFound: notFound('This ontology has no background change to show or to cancel.'),
  VersionNotFound: notFound('The version does not exist, or is too old to be read.'),
  ObjectNotFound: notFound('No object has this primary key.'),
  PropertiesNotFound: notFound('The object type does not have these properties.'),
  LinkTypeNotFound: notFound('The object type does not have this link type.'),
  LinkedObjectNotFound: notFound('No linked object has this primary key.'),
  FoundryBranchNotFound: notFound(
    'The branch does not exist. This service has no branches; omit the parameter.',
  ),
  ObjectSetNotFound: notFound(
    'The object set does not exist, has expired, or is not visible to this token.',
  ),
  InvalidOntologyTypes: invalid(
    'The request names properties, object types or link types that do not exist.',
  ),

  // Requests
  InvalidParameterCombination: invalid(
    'These parameters cannot be combined. The parameters list what was sent, and the valid combinations.',
  ),
  MissingPostBody: invalid('The request has no body, and this endpoint requires one.'),
  MissingBatchRequest: invalid('The batch is empty. Send at least one request.'),
  BatchRequestSizeExceededLimit: invalid(
    'The batch has too many requests. Send several smaller batches.',
  ),
  'Default:InvalidArgument': invalid('A part of the request is invalid. The parameters name it.'),
  'Conjure:UnprocessableEntity': {
    ...entry(
      'INVALID_ARGUMENT',
      'The request body is valid JSON, but does not match the schema of this endpoint. The parameters name the part.',
    ),
    status: 422,
  },
  'Conjure:UnsupportedMediaType': {
    ...entry(
      'INVALID_ARGUMENT',
      'This endpoint does not support the Content-Type or Content-Encoding of the request. The parameters name what it expects.',
    ),
    status: 415,
  },
  'Default:RequestEntityTooLarge': entry(
    'REQUEST_ENTITY_TOO_LARGE',
    'The request is larger than this endpoint allows.',
  ),

  // Pages, queries and aggregations
  InvalidPageSize: invalid(
    'The page size must be a whole number of at least 1. Values above the maximum are reduced.',
  ),
  InvalidPageToken: invalid(
    'The page token or changes token is not valid for this request. Continue a walk with the snapshotToken if there is one, or as of now with the continueToken, or start a new walk without a page token. To follow changes again, copy a snapshot and continue from its nextChangesToken.',
  ),
  ObjectsExceededLimit: invalid(
    'The walk reached its retrieval limit, and more objects exist. Narrow it with filters, use search by type or list objects (v2), which have no limit, or ask the operator to raise the limit.',
  ),
  InvalidFields: invalid('A field of a query or an order must have the form properties.NAME.'),
  InvalidPropertyValue: invalid('The value is not valid for the type of the property.'),
  InvalidFilterValue: invalid(
    'The value is not valid for this query type. The parameters give the reason.',
  ),
  InvalidTimeZone: invalid('The time zone does not exist. Use a name such as Europe/London.'),
  UnknownDistanceUnit: invalid(
    'The unit of a distance does not exist. The parameters list the known units.',
  ),
  PropertyTypesSearchNotSupported: invalid(
    'This query type does not support properties of this type.',
  ),
  InvalidAndFilter: invalid('A query of type "and" requires at least one inner query.'),
  InvalidOrFilter: invalid('A query of type "or" requires at least one inner query.'),
  QueryDepthExceededLimit: invalid('The query is nested too deeply.'),
  QueryTermsExceededLimit: invalid('The query has too many conditions.'),
  QueryTextExceededLimit: invalid('A text in the query is too long.'),
  QueryTimedOut: entry(
    'TIMEOUT',
    'The query exceeded its time limit. Narrow it, or ask the operator to raise the limit.',
  ),
  QueryMemoryExceededLimit: invalid(
    'The query exceeded its memory limit. Narrow it, or ask the operator to raise the limit.',
  ),
  UnsupportedObjectSet: invalid('This service does not support object sets of this type.'),
  IncompatibleNestedObjectSet: invalid(
    'The object types of an object set do not fit together. The parameters list them.',
  ),
  InvalidRangeQuery: invalid('The lower bound of a range is above its upper bound.'),
  DuplicateOrderBy: invalid('The order contains a property more than once.'),
  InvalidSortOrder: invalid(
    'The direction of an order term must be asc or desc, optionally followed by nullsFirst or nullsLast.',
  ),
  InvalidSortType: invalid('An order term must begin with properties. or p.'),
  InvalidOrderType: invalid('The type of an order must be fields or relevance.'),
  PropertiesNotSortable: invalid('Objects cannot be ordered by properties of this type.'),
  MalformedPropertyFilters: invalid('A filter must have the form properties.NAME.OPERATOR=VALUE.'),
  PropertyFiltersNotSupported: invalid('This filter does not support properties of this type.'),
  InvalidPropertyFilterValue: invalid(
    'The value of a filter is not valid for the type of the property.',
  ),
  MultiplePropertyValuesNotSupported: invalid('This filter accepts only one value.'),
  InvalidPropertyType: invalid('This metric or grouping does not support properties of this type.'),
  AggregationMetricNotSupported: invalid('The metric does not exist.'),
  MultipleGroupByOnFieldNotSupported: invalid('An aggregation can group by a property only once.'),
  InvalidAggregationRange: invalid(
    'A range must have one lower bound and one upper bound, which is not below the lower one.',
  ),
  InvalidAggregationRangeValue: invalid(
    'A bound of a range is not valid for the type of the property.',
  ),
  InvalidAggregationRangePropertyType: invalid(
    'Only numbers, dates and timestamps can be grouped by ranges.',
  ),
  InvalidDurationGroupByPropertyType: invalid(
    'Only dates and timestamps can be grouped by duration.',
  ),
  InvalidDurationGroupByValue: invalid(
    'The duration is invalid, or not supported for the type of the property.',
  ),
  DefaultAndNullGroupsNotSupported: invalid(
    'A grouping by value can put objects without a value into a default group or a null group, but not both.',
  ),
  InvalidAggregationOrdering: invalid(
    'Metrics can order the groups of exactly one grouping. Remove the direction, or group by one property.',
  ),
  InvalidAggregationOrderingWithNullValues: invalid(
    'Metrics cannot order groups if one of them is the group of null.',
  ),
  AggregationGroupCountExceededLimit: invalid(
    'The aggregation has too many groups. Limit them with maxGroupCount, or narrow the query.',
  ),
  AggregationMemoryExceededLimit: invalid(
    'The response would be too large. Request fewer groups or metrics.',
  ),

  // Writes
  InvalidOntologyDefinition: invalid(
    'The ontology definition is invalid. The parameters list each mistake with its path.',
  ),
  OntologyChangeRefused: conflict(
    'The change would lose or invalidate stored values, so nothing was changed. The parameters list the reasons.',
  ),
  OntologyChangeInProgress: conflict(
    'The objects of the ontology are being converted to another definition. Wait for that change, or cancel it.',
  ),
  OntologyDefinitionOutOfSync: conflict(
    'The ontology definition changed during this request. Send the request again.',
  ),
  DefinitionsExceededLimit: conflict(
    'The definitions of the service, or those that the caller created, would be too large together. Nothing was changed. Delete ontologies that are not needed.',
  ),
  SavedViewsExceededLimit: conflict(
    'The caller, or all callers together, have saved the maximum number of views in this ontology. Delete some that are not needed.',
  ),
  ReplacementsExceededLimit: conflict(
    'The object type has too many open replacements. Publish or abandon one, or wait until idle ones expire.',
  ),
  ReplacementAlreadyPublished: conflict(
    'The replacement was published in another mode. Publish it again in the mode in which it was published to get the first answer, or start a new replacement.',
  ),
  ReplacementMergeExceededLimit: conflict(
    'The object type has too many objects to add them to the replacement. Write the objects in batches.',
  ),
  ReplacementMergeRefused: conflict(
    'An object of the type does not fit its definition, so it cannot be added to the replacement. Fix or delete the object.',
  ),
  ConstraintViolated: invalid(
    'Values violate constraints of the object type, so nothing was written. The parameters list the objects and properties.',
  ),
  InvalidBatchLine: invalid(
    'A line of the batch is invalid, so nothing was written. The parameters list the invalid lines.',
  ),
  InvalidParameterValue: invalid(
    'The value of a parameter is not valid for its type. Nothing was written.',
  ),
  ParametersNotFound: invalid(
    'The action type does not have these parameters. The parameters of this error list those that it has.',
  ),
  ActionValidationFailed: invalid(
    'The action is not valid, so nothing was written. Validate it for details.',
  ),
  ObjectAlreadyExists: conflict(
    'An object with this primary key exists already, so nothing was written.',
  ),
  ActionContainsDuplicateEdits: conflict(
    'The request edits an object more than once, so nothing was written.',
  ),
  PreconditionFailed: {
    ...entry(
      'CONFLICT',
      'What the request writes is not in the state that If-Match or If-None-Match requires, so nothing was written. Read it again and repeat the change.',
    ),
    status: 412,
  },
  IdempotencyKeyReused: {
    ...entry(
      'INVALID_ARGUMENT',
      'The idempotency key belongs to another request of this caller. Use a new key for each request, and the same one only to repeat it.',
    ),
    status: 422,
  },
  SecretNotRepeatable: conflict(
    'An earlier request with this idempotency key has created what the parameters name. Its secret can only be returned to the bearer token of that request. Revoke what was created, and create another with a new key.',
  ),

  // Actions
  ActionTypeNotFound: notFound('The action type does not exist, or is not visible to this token.'),
  ActionParameterObjectNotFound: notFound(
    'The object that a parameter of the action names does not exist.',
  ),

  // The service
  TooManyRequests: {
    ...entry(
      'CUSTOM_CLIENT',
      'The caller exceeded a limit. Wait for the number of seconds in Retry-After.',
    ),
    status: 429,
  },
  ServiceUnavailable: {
    ...entry(
      'CUSTOM_SERVER',
      'The service cannot handle this request right now. Try again after the number of seconds in Retry-After.',
    ),
    status: 503,
  },
  StoredObjectDamaged: entry(
    'INTERNAL',
    'A stored object is damaged: it does not match its checksum. Restore the store from a backup, or write the object again.',
  ),
  'Default:Internal': entry(
    'INTERNAL',
    'An internal error occurred. The log of the service has the details under this errorInstanceId.',
  ),
} satisfies Record<string, CatalogueEntry>

export type ErrorName = keyof typeof ERRORS
