/** Checks values while they are typed, by the rules of the service. */
import { constraintChecker } from '../../ontology/check-constraints.ts'
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { Mistakes } from '../../ontology/definition/mistakes.ts'
import { parsePropertyType } from '../../ontology/definition/parse-property-type.ts'
import { parseRules, parseValueTypes } from '../../ontology/parse-rules.ts'
import { valueReader } from '../../ontology/values/read-value.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import type { ObjectTypeDefinition, ValueTypes } from '../api/ontology.ts'

/** Returns what is wrong with the value of a property; undefined if the service accepts it. */
export type CheckValue = (property: string, value: unknown) => string | undefined

export function valueChecker(
  { properties }: ObjectTypeDefinition,
  valueTypes: ValueTypes = [],
): CheckValue {
  // The service has accepted the definition, so there are none.
  const mistakes = new Mistakes()
  const shared = parseValueTypes({ valueTypes }, mistakes)
  const checks = new Map(
    Object.entries(properties).flatMap(([name, shown]) => {
      const property = shown as PropertyDefinition
      const path = () => name
      const type = parsePropertyType(property, path, mistakes)
      if (type === undefined) return []
      const rules = parseRules(property, type, { path, valueTypes: shared, mistakes })
      const check = constraintChecker(type, rules?.constraints ?? [])
      const read = valueReader(type)
      return [[name, (value: unknown) => check(JSON.parse(read(value)))] as const]
    }),
  )
  const sentence = (path: string, reason: string) => `${path === '' ? 'This' : path} ${reason}.`
  return (name, value) => {
    try {
      const violation = checks.get(name)?.(value)
      return violation && sentence(violation.path, violation.reason)
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error
      return sentence(error.path, error.reason)
    }
  }
}
