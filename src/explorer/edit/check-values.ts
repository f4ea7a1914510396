/** Checks values while they are typed, by the rules of the service. */
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { Mistakes } from '../../ontology/definition/mistakes.ts'
import { parsePropertyType } from '../../ontology/definition/parse-property-type.ts'
import { valueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import type { ObjectTypeDefinition } from '../api/ontology.ts'

/** Returns what is wrong with the value of a property; undefined if the service accepts it. */
export type CheckValue = (property: string, value: unknown) => string | undefined

export function valueChecker({ properties }: ObjectTypeDefinition): CheckValue {
  const readers = new Map(
    Object.entries(properties).flatMap(([name, property]) => {
      const type = parsePropertyType(property as PropertyDefinition, () => name, new Mistakes())
      return type === undefined ? [] : [[name, valueReader(type)]]
    }),
  )
  return (name, value) => {
    try {
      readers.get(name)?.(value)
      return undefined
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error
      return `${error.path === '' ? 'This' : error.path} ${error.reason}.`
    }
  }
}
