/**
 * How v2 names the property of a condition: `field` with a property name, or `propertyIdentifier`,
 * which can also name a struct field, the title or the primary key. In both, our extension is a
 * field inside a struct with periods between the names: `address.geo.lat`.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { findPath } from '../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { findField } from '../resolve-field.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryMembers } from './parse-query.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

/** Joins a property and a struct field. API names contain no colon. */
export const STRUCT_FIELD_SEPARATOR = ':'

export const V2_FIELDS: FieldSyntax = {
  find: (written, objectType) => {
    const [property = '', field] = written.split(STRUCT_FIELD_SEPARATOR)
    if (field === undefined) return findField(objectType, property)
    const type = objectType.properties.get(property)?.type
    const structField = type && findPath(type, field)
    return structField === undefined ? undefined : { property, structField }
  },
  notFound: (written, objectType) =>
    new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: [written],
    }),
  invalidValue: ({ written, type, value, reason }) =>
    new ObjectQueryError('InvalidPropertyValue', {
      property: written,
      propertyBaseType: type,
      propertyValue: value,
      reason,
    }),
}

/** The members by which a condition names its property. */
export const FIELD_MEMBERS: readonly string[] = ['field', 'propertyIdentifier']

/** Returns the property of a condition as `V2_FIELDS` writes it: `NAME` or `NAME:FIELD`. */
export function readV2Field(members: QueryMembers, objectType: ObjectType, path: string): string {
  const { field, propertyIdentifier } = members
  if (field != null && propertyIdentifier != null) {
    throw new ObjectQueryError('InvalidParameterCombination', {
      providedParameters: [`${path}.field`, `${path}.propertyIdentifier`],
      validCombinations: [[`${path}.field`], [`${path}.propertyIdentifier`]],
    })
  }
  if (propertyIdentifier != null) {
    return readPropertyIdentifier(propertyIdentifier, objectType, `${path}.propertyIdentifier`)
  }
  return readName(field, objectType, `${path}.field`)
}

/** Parses a property identifier: a property, a struct field, the title or the primary key. */
export function readPropertyIdentifier(
  value: unknown,
  objectType: ObjectType,
  path: string,
): string {
  if (!isJsonObject(value)) throw unprocessable(path, 'is not a property identifier')
  const allow = (...members: string[]) =>
    refuseUnknownMembers(value, ['type', ...members], path, `a ${value['type']} identifier`)
  switch (value['type']) {
    case 'property':
      allow('apiName')
      return readName(value['apiName'], objectType, `${path}.apiName`)
    case 'structField': {
      allow('propertyApiName', 'structFieldApiName')
      const property = readName(value['propertyApiName'], objectType, `${path}.propertyApiName`)
      const field = readName(value['structFieldApiName'], objectType, `${path}.structFieldApiName`)
      return property + STRUCT_FIELD_SEPARATOR + field
    }
    case 'propertyWithLoadLevel':
      allow('propertyIdentifier', 'loadLevel')
      refuseLoadLevel(value['loadLevel'], `${path}.loadLevel`)
      return readInner(value['propertyIdentifier'], objectType, `${path}.propertyIdentifier`)
    case 'titleProperty':
      allow()
      if (objectType.titleProperty !== undefined) return objectType.titleProperty
      throw unprocessable(path, `object type ${objectType.apiName} has no title property`)
    case 'primaryKeyProperty':
      allow()
      return objectType.primaryKey.apiName
    default:
      throw new ObjectQueryError('Default:InvalidArgument', {
        parameter: `${path}.type`,
        value: value['type'],
        reason: `is not a type of property identifier; allowed types: ${IDENTIFIER_TYPES}`,
      })
  }
}

const IDENTIFIER_TYPES =
  'property, structField, propertyWithLoadLevel, titleProperty, primaryKeyProperty'

/** A load level applies to a property, so identifiers do not nest further. */
function readInner(value: unknown, objectType: ObjectType, path: string): string {
  if (isJsonObject(value) && value['type'] === 'propertyWithLoadLevel') {
    throw unprocessable(path, 'is a propertyWithLoadLevel inside another')
  }
  return readPropertyIdentifier(value, objectType, path)
}

/** Values are stored without reducers and main values, so only `noLoadLevel` has a meaning. */
function refuseLoadLevel(value: unknown, path: string): void {
  const type = isJsonObject(value) ? value['type'] : undefined
  if (type === 'noLoadLevel') return
  throw unprocessable(path, 'is not supported; the only supported load level is noLoadLevel')
}

function readName(value: unknown, objectType: ObjectType, path: string): string {
  if (value == null) throw unprocessable(path, 'is missing')
  if (typeof value !== 'string') throw unprocessable(path, 'is not a string')
  if (value.includes(STRUCT_FIELD_SEPARATOR)) throw V2_FIELDS.notFound(value, objectType)
  return value
}
