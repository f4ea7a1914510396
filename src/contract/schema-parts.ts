/** Building blocks of JSON schemas. */
import { type Static, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'

/** Rejects unknown members, so that a misspelt one is reported instead of ignored. */
export const closed = { additionalProperties: false }

/** Accepts null as absent in a request body: official clients send it for members they omit. */
function orNull<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string | string[] }
  const types = type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }
  return Type.Unsafe<Static<T> | null>({ ...schema, ...types })
}

/** Returns the schema of a member that can be absent or null. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(orNull(schema))
}

/** The query string of an endpoint without parameters. */
export const NoParameters = Type.Object({}, closed)

const described = (description?: string) => (description === undefined ? {} : { description })

export const text = (description?: string) => Type.String(described(description))
export const texts = (description: string) => Type.Array(Type.String(), { description })
export const integer = (description: string) => Type.Integer({ description })
export const flag = (description: string) => Type.Boolean({ description })
export const time = (description?: string) =>
  Type.String({ format: 'date-time', ...described(description) })

/** Returns an object that has a name in `openapi.json`, and so in generated clients. */
export function namedObject<T extends TProperties>(
  title: string,
  properties: T,
  options: TObjectOptions = {},
) {
  return Type.Object(properties, { title, ...options })
}

/** An object whose members the service does not know beforehand. */
export const anyMembers = (description?: string) =>
  Type.Object({}, { additionalProperties: true, ...described(description) })

/** A keyword of validated schemas: names the component that `openapi.json` shows in place of one. */
export const DOCUMENTED_AS = 'x-documented-as'

/**
 * Has keywords to add to the schema in `openapi.json`. The service checks them itself, because its
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

/**
 * A text of one line: without control characters and unpaired surrogates, which logs and databases do
 * not take.
 */
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]+$'
