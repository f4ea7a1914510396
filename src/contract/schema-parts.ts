/** Building blocks of JSON schemas. */
import { type Static, type TSchema, Type } from 'typebox'

/** Rejects unknown members, so that a misspelt one is reported instead of ignored. */
export const closed = { additionalProperties: false }

/** Accepts null as absent in a request body: official clients send it for members they omit. */
function orNull<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** Returns the schema of a member that can be absent or null. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(orNull(schema))
}

/** The query string of an endpoint without parameters. */
export const NoParameters = Type.Object({}, closed)
