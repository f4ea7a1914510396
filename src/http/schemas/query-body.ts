/**
 * The query of a request body. The validator only checks that it is an object with a type: the
 * parsers in `src/query` report mistakes with their path and their own error names. In
 * `openapi.json` the query is the union in `openapi/query-schemas.ts`.
 */
import { Type } from 'typebox'
import type { Revision } from '../../contract/revisions.ts'
import { DOCUMENTED_AS, QUERY_COMPONENTS } from '../openapi/query-schemas.ts'

export function queryBody(revision: Revision) {
  return Type.Object(
    { type: Type.String() },
    { additionalProperties: true, [DOCUMENTED_AS]: QUERY_COMPONENTS[revision] },
  )
}
