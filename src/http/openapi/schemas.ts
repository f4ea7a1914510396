import { type Static, type TSchema, Type } from 'typebox'
import { ERRORS, type ErrorName } from '../../contract/error-catalogue.ts'
import { PAGE_SIZE_WIRE_MAX, PAGE_TOKEN_MAX_LENGTH } from '../../contract/limits.ts'
import { ERROR_EXAMPLES } from './error-examples.ts'

/** The schemas that endpoints share: they validate requests and make `openapi.json`. */

export const closed = { additionalProperties: false }

/** Null in a request body means absent: official clients send it for what they leave out. */
export function orNull<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** The query string of an endpoint that takes none: what is misspelt or misplaced is refused. */
export const NoParameters = Type.Object({}, closed)

/** The path to an object type. */
export const TypePath = Type.Object({
  ontology: Type.String({ description: 'RID or API name of the ontology.' }),
  objectType: Type.String({ description: 'API name of the object type.' }),
})

/** A replacement, as `startReplacement` named it. */
export const ReplacementName = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'As `startReplacement` named it.',
})

export const PageSize = Type.Integer({
  minimum: 1,
  maximum: PAGE_SIZE_WIRE_MAX,
  description: 'A suggestion; values above the maximum of the endpoint are reduced to it.',
})

export const PageToken = Type.String({
  minLength: 1,
  maxLength: PAGE_TOKEN_MAX_LENGTH,
  description: 'The nextPageToken of the previous page; the rest of the request stays the same.',
})

export const QueryBody = Type.Object(
  { type: Type.String({ description: 'Tells the kinds of query apart.' }) },
  { additionalProperties: true, examples: [{ type: 'empty' }] },
)

export const Properties = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'Property values by API name; properties without a value are left out.',
  },
)

export const NextPageToken = Type.Optional(
  Type.String({ description: 'Selects the next page; absent on the last one.' }),
)

/** What a write did. */
export const CommitResponse = Type.Object({
  version: Type.Integer({ description: 'The version that holds the changes.' }),
  put: Type.Integer({ description: 'Objects written.' }),
  deleted: Type.Integer({ description: 'Objects that existed and were deleted.' }),
  kept: Type.Optional(
    Type.Integer({ description: 'With `mode=append`: objects that existed and were kept.' }),
  ),
})

export const ErrorResponse = Type.Object(
  {
    errorCode: Type.String(),
    errorName: Type.Enum(Object.keys(ERRORS) as ErrorName[]),
    errorInstanceId: Type.String(),
    errorDescription: Type.String(),
    parameters: Type.Object({}, { additionalProperties: true }),
  },
  { $id: 'Error', description: 'Every error has this body.', examples: [...ERROR_EXAMPLES] },
)

/** The responses of an endpoint that answers 200 or an error. */
export function responses<T extends TSchema>(success: T) {
  const error = Type.Ref('Error#')
  return { 200: success, '4xx': error, '5xx': error }
}

/** The responses of an endpoint that only reads: a client may hold the answer already. */
export function readResponses<T extends TSchema>(success: T) {
  const held = Type.Null({
    description: 'The answer is the one whose `ETag` the client sent as `If-None-Match`.',
  })
  return { ...responses(success), 304: held }
}
