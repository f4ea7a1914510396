/** Parses one object type of a definition. */

import type { ObjectType, Property } from '../ontology.ts'
import { parseRules } from '../parse-rules.ts'
import type { ValueType } from '../rules.ts'
import type { ObjectTypeDefinition } from './definition-schema.ts'
import type { Mistakes } from './mistakes.ts'
import { parseLanguage, parsePropertyType } from './parse-property-type.ts'
import {
  isPrimaryKeyType,
  isTitleType,
  PRIMARY_KEY_TYPES,
  type ScalarType,
} from './property-type.ts'

/** Adds the mistakes that it finds; returns undefined without a usable primary key. */
export function parseObjectType(
  type: ObjectTypeDefinition,
  path: string,
  valueTypes: ReadonlyMap<string, ValueType>,
  mistakes: Mistakes,
): ObjectType | undefined {
  const properties = new Map<string, Property>()
  for (const [apiName, property] of Object.entries(type.properties)) {
    const propertyPath = () => `${path}.properties.${apiName}`
    const parsed = parsePropertyType(property, propertyPath, mistakes)
    if (parsed === undefined) continue
    const language = parseLanguage(property, parsed, propertyPath, mistakes)
    const rules = parseRules(property, parsed, { path: propertyPath, valueTypes, mistakes })
    const optional = { ...(language && { language }), ...(rules && { rules }) }
    properties.set(apiName, { apiName, type: parsed, ...optional })
  }

  if (type.titleProperty !== undefined) {
    const titleType = scalarTypeOf(properties.get(type.titleProperty))
    if (!Object.hasOwn(type.properties, type.titleProperty)) {
      mistakes.add(`${path}.titleProperty`, `the object type has no property ${type.titleProperty}`)
    } else if (titleType === undefined || !isTitleType(titleType)) {
      const reason =
        'a title property must be a string, number, boolean, date, timestamp or marking'
      mistakes.add(`${path}.titleProperty`, reason)
    }
  }

  const keyType = scalarTypeOf(properties.get(type.primaryKey))
  if (!Object.hasOwn(type.properties, type.primaryKey)) {
    mistakes.add(`${path}.primaryKey`, `the object type has no property ${type.primaryKey}`)
    return undefined
  }
  if (keyType === undefined || !isPrimaryKeyType(keyType)) {
    const reason = `a primary key must have one of the types ${PRIMARY_KEY_TYPES.join(', ')}`
    mistakes.add(`${path}.primaryKey`, reason)
    return undefined
  }
  return {
    apiName: type.apiName,
    rid: type.rid ?? '',
    primaryKey: { apiName: type.primaryKey, type: keyType },
    titleProperty: type.titleProperty,
    retrievalLimit: type.retrievalLimit,
    properties,
    access: 'all',
  }
}

export function scalarTypeOf(property: Property | undefined): ScalarType | undefined {
  return property?.type.kind === 'scalar' ? property.type.type : undefined
}
