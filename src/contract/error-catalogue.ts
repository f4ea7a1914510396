/**
 * The error catalogue: the name, code and description of every error. Names and codes are those of
 * the public APIs. A test checks that `docs/errors.md` explains each of them.
 */
import { ACCESS_ERRORS } from './access-errors.ts'
import type { CatalogueEntry } from './error-codes.ts'
import { QUERY_ERRORS } from './query-errors.ts'
import { WRITE_ERRORS } from './write-errors.ts'

export const ERRORS = {
  ...ACCESS_ERRORS,

  // Resources
  OntologyNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The ontology does not exist, or is not visible to this token.',
  },
  ObjectTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object type does not exist, or is not visible to this token.',
  },
  InterfaceTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The interface type does not exist, or is not visible to this token.',
  },
  InterfaceLinkTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The interface type does not have this link type.',
  },
  'Default:NotFound': {
    errorCode: 'NOT_FOUND',
    description: 'No endpoint has this path.',
  },
  'Default:MethodNotAllowed': {
    errorCode: 'INVALID_ARGUMENT',
    status: 405,
    description:
      'The endpoint does not support this method. The parameters list the methods that it supports.',
  },
  ReplacementNotFound: {
    errorCode: 'NOT_FOUND',
    description:
      'The replacement does not exist: it was published, abandoned or never started, or it expired.',
  },
  OntologyChangeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'This ontology has no background change to show or to cancel.',
  },
  VersionNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The version does not exist, or is too old to be read.',
  },
  ObjectNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'No object has this primary key.',
  },
  PropertiesNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object type does not have these properties.',
  },
  LinkTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object type does not have this link type.',
  },
  LinkedObjectNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'No linked object has this primary key.',
  },
  FoundryBranchNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The branch does not exist. This service has no branches; omit the parameter.',
  },
  ObjectSetNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object set does not exist, has expired, or is not visible to this token.',
  },
  InvalidOntologyTypes: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The request names properties, object types or link types that do not exist.',
  },

  // Requests
  InvalidParameterCombination: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'These parameters cannot be combined. The parameters list what was sent, and the valid combinations.',
  },
  MissingPostBody: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The request has no body, and this endpoint requires one.',
  },
  MissingBatchRequest: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The batch is empty. Send at least one request.',
  },
  BatchRequestSizeExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The batch has too many requests. Send several smaller batches.',
  },
  'Default:InvalidArgument': {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A part of the request is invalid. The parameters name it.',
  },
  'Conjure:UnprocessableEntity': {
    errorCode: 'INVALID_ARGUMENT',
    status: 422,
    description:
      'The request body is valid JSON, but does not match the schema of this endpoint. The parameters name the part.',
  },
  'Conjure:UnsupportedMediaType': {
    errorCode: 'INVALID_ARGUMENT',
    status: 415,
    description:
      'This endpoint does not support the Content-Type or Content-Encoding of the request. The parameters name what it expects.',
  },
  'Default:RequestEntityTooLarge': {
    errorCode: 'REQUEST_ENTITY_TOO_LARGE',
    description: 'The request is larger than this endpoint allows.',
  },

  ...QUERY_ERRORS,
  // Writes
  ...WRITE_ERRORS,

  // The service
  TooManyRequests: {
    errorCode: 'CUSTOM_CLIENT',
    status: 429,
    description: 'The caller exceeded a limit. Wait for the number of seconds in Retry-After.',
  },
  ServiceUnavailable: {
    errorCode: 'CUSTOM_SERVER',
    status: 503,
    description:
      'The service cannot handle this request right now. Try again after the number of seconds in Retry-After.',
  },
  StoredObjectDamaged: {
    errorCode: 'INTERNAL',
    description:
      'A stored object is damaged: it does not match its checksum. Restore the store from a backup, or write the object again.',
  },
  'Default:Internal': {
    errorCode: 'INTERNAL',
    description:
      'An internal error occurred. The log of the service has the details under this errorInstanceId.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorName = keyof typeof ERRORS
