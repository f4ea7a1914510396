/**
 * The query of a request body. The validator only checks that it is an object with a type: the
 * parsers in `src/query` report mistakes with their path and their own error names. In
 * `openapi.json` the query is the union of the types that its grammar has.
 */

import { Type } from 'typebox'
import { documentedAs } from '../../contract/schema-parts.ts'
import type { QueryGrammar } from '../../query/parse/parse-query.ts'

export function queryBody({ component }: QueryGrammar) {
  return Type.Object({ type: Type.String() }, documentedAs(component))
}
