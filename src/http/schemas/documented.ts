/** Keywords of validated schemas that only `openapi.json` uses. */
import type { TSchema } from 'typebox'

/** Names the component to show in place of the schema. */
export const DOCUMENTED_AS = 'x-documented-as'

/**
 * Has keywords to add to the schema in the document. The service checks them itself, because its
 * errors have names of their own: a client handles `InvalidPageToken`.
 */
export const DOCUMENTED_WITH = 'x-documented-with'

/** Describes a schema more strictly than the validator checks it. */
export function documentedWith<T extends TSchema>(schema: T, keywords: object): T {
  return { ...schema, [DOCUMENTED_WITH]: keywords }
}

/** Options of an object whose parser rejects unknown members, and names the members of each type. */
export function documentedAs(component: string) {
  return { additionalProperties: true, [DOCUMENTED_AS]: component }
}
