/** The object set of a request body. Its parser reports mistakes with their path. */
import { Type } from 'typebox'
import { DOCUMENTED_AS } from '../openapi/query-schemas.ts'
import { OBJECT_SET_COMPONENT } from '../openapi/v2-schemas.ts'

export const ObjectSet = Type.Object(
  { type: Type.String() },
  { additionalProperties: true, [DOCUMENTED_AS]: OBJECT_SET_COMPONENT },
)
