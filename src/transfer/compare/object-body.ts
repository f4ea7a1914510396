import { ownValue } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { valueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'

/** Properties as JSON text, in the form in which the service stores them. */
export type ObjectBody = string

/** Why a property cannot be stored. */
export class RefusedProperty extends Error {
  override readonly name = 'RefusedProperty'
  readonly property: string
  readonly value: unknown
  /** The path inside the property, such as `[3].text`; empty for the value itself. */
  readonly path: string
  readonly reason: string

  constructor(property: string, value: unknown, { path, reason }: RefusedValue) {
    super(`${property}${path} ${reason}`)
    this.property = property
    this.value = value
    this.path = path
    this.reason = reason
  }
}

/**
 * Returns a function that checks properties as the service does, and writes them in its form, so that
 * equal objects have equal texts. It throws `RefusedProperty`.
 */
export function bodyWriter(
  type: ObjectType,
): (properties: Readonly<Record<string, unknown>>) => ObjectBody {
  const known = [...type.properties.values()].map((property) => ({
    property: property.apiName,
    label: `${JSON.stringify(property.apiName)}:`,
    read: valueReader(property.type),
  }))
  return (properties) => {
    const members: string[] = []
    for (const { property, label, read } of known) {
      const value = ownValue(properties, property)
      if (value === undefined || value === null) continue
      try {
        members.push(label + read(value))
      } catch (error) {
        throw error instanceof RefusedValue ? new RefusedProperty(property, value, error) : error
      }
    }
    return `{${members.join()}}`
  }
}
