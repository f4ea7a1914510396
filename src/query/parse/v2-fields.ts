/**
 * How v2 names the property of a condition: `field` with a property name, or `propertyIdentifier`,
 * which can also name a struct field, the title or the primary key. In both, our extension is a
 * field inside a struct with periods between the names: `address.geo.lat`.
 */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { optional } from '../../contract/schema-parts.ts'
import { findPath } from '../../ontology/definition/struct-path.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { findField } from '../resolve-field.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryMembers } from './parse-query.ts'
import { Name, refTo, type UnionType, unionType, unionTypes } from './union-type.ts'
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

export const PROPERTY_IDENTIFIER_COMPONENT = 'PropertyIdentifier'
export const SELECTED_PROPERTY_COMPONENT = 'SelectedProperty'

const identifier = refTo(PROPERTY_IDENTIFIER_COMPONENT)

export const FIELD_DESCRIPTION = 'API name of the property. Excludes `propertyIdentifier`.'

/** A condition names its property by exactly one of these members. */
export const FIELD_SCHEMA = {
  field: optional(Type.String({ minLength: 1, description: FIELD_DESCRIPTION })),
  propertyIdentifier: Type.Optional(identifier),
}

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

interface IdentifierParser extends UnionType {
  readonly parse: (members: QueryMembers, objectType: ObjectType, path: string) => string
}

const SPECIAL = unionType('Special')

/** The types of property identifiers: a property, a struct field, the title or the primary key. */
export const PROPERTY_IDENTIFIERS = unionTypes<IdentifierParser>({
  property: {
    ...unionType('Property', { apiName: Name }),
    parse: ({ apiName }, objectType, path) => readName(apiName, objectType, `${path}.apiName`),
  },
  structField: {
    ...unionType('StructField', {
      propertyApiName: Name,
      structFieldApiName: Type.String({
        minLength: 1,
        description: 'A field, or our extension for structs inside structs: `geo.lat`.',
      }),
    }),
    parse: ({ propertyApiName, structFieldApiName }, objectType, path) => {
      const property = readName(propertyApiName, objectType, `${path}.propertyApiName`)
      const field = readName(structFieldApiName, objectType, `${path}.structFieldApiName`)
      return property + STRUCT_FIELD_SEPARATOR + field
    },
  },
  propertyWithLoadLevel: {
    ...unionType('LoadLevel', {
      propertyIdentifier: identifier,
      loadLevel: Type.Object({ type: Type.Enum(['noLoadLevel']) }),
    }),
    parse: ({ propertyIdentifier, loadLevel }, objectType, path) => {
      refuseLoadLevel(loadLevel, `${path}.loadLevel`)
      return readInner(propertyIdentifier, objectType, `${path}.propertyIdentifier`)
    },
  },
  titleProperty: {
    ...SPECIAL,
    parse: (_, { titleProperty, apiName }, path) => {
      if (titleProperty !== undefined) return titleProperty
      throw unprocessable(path, `${apiName} has no title property, or several of different types`)
    },
  },
  primaryKeyProperty: { ...SPECIAL, parse: (_, { primaryKey }) => primaryKey.apiName },
})

/** Parses a property identifier. */
export function readPropertyIdentifier(
  value: unknown,
  objectType: ObjectType,
  path: string,
): string {
  if (!isJsonObject(value)) throw unprocessable(path, 'is not a property identifier')
  const { type } = value
  const parser = typeof type === 'string' ? PROPERTY_IDENTIFIERS.get(type) : undefined
  if (parser === undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      value: type,
      reason: `is not a type of property identifier; allowed types: ${[...PROPERTY_IDENTIFIERS.keys()].join(', ')}`,
    })
  }
  refuseUnknownMembers(value, ['type', ...parser.members], path, `a ${type} identifier`)
  return parser.parse(value, objectType, path)
}

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
  // Names with a dollar stand for other properties of an interface.
  if (value.includes(STRUCT_FIELD_SEPARATOR) || value.startsWith('$'))
    throw V2_FIELDS.notFound(value, objectType)
  return value
}
