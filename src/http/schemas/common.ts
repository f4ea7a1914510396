import { Type } from 'typebox'
import { closed } from '../../contract/schema-parts.ts'

/** The query string of an endpoint without parameters. */
export const NoParameters = Type.Object({}, closed)
