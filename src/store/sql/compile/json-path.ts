import { PATH_SEPARATOR } from '../../../ontology/definition/struct-path.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'

/** Returns the path to a property or a struct field in the body, in the syntax of both databases. */
export function jsonPath({
  property,
  structField,
}: Pick<FieldId, 'property'> & Partial<FieldId>): string {
  const steps = [property, ...(structField?.split(PATH_SEPARATOR) ?? [])]
  return `$${steps.map((name) => `."${name}"`).join('')}`
}
