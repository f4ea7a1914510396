import { PATH_SEPARATOR } from '../../../ontology/definition/struct-path.ts'
import type { Field } from '../../../query/query.ts'

/** Returns the path to a property or a struct field in the body, in the syntax of both databases. */
export function jsonPath({
  property,
  structField,
}: Pick<Field, 'property'> & Partial<Field>): string {
  const steps = [property, ...(structField?.split(PATH_SEPARATOR) ?? [])]
  return `$${steps.map((name) => `."${name}"`).join('')}`
}
