/** The parts that metrics and groupings share: a property, and the check of their members. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'
import { documentedAs, documentedWith, optional } from '../../contract/schema-parts.ts'
import {
  type PropertyType,
  type ScalarType,
  typeName,
} from '../../ontology/definition/property-type.ts'
import { PATH_SEPARATOR, typeAt } from '../../ontology/definition/struct-path.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isComparable } from '../../ontology/values/scalar-codec.ts'
import { fieldKey } from '../../ontology/values/searchable-values.ts'
import { conditionsOf, type FieldSyntax } from '../parse/conditions.ts'
import type { QueryBudget } from '../parse/query-budget.ts'
import { PROPERTY_PATTERN, REVISION_1_FIELDS } from '../parse/revision-1-query-language.ts'
import type { UnionType } from '../parse/union-type.ts'
import { refuseUnknownMembers } from '../parse/unprocessable.ts'
import {
  FIELD_DESCRIPTION,
  PROPERTY_IDENTIFIER_COMPONENT,
  readV2Field,
  V2_FIELDS,
} from '../parse/v2-fields.ts'
import type { Aggregated } from './aggregation.ts'

export interface AggregatedProperty extends Aggregated {
  /** Undefined for arrays and structs, which cannot be aggregated. */
  readonly type: ScalarType | undefined
  /** The type of the elements of an array of scalars; undefined for all other properties. */
  readonly elementType: ScalarType | undefined
  /** The type for error messages. */
  readonly typeName: string
}

/** The members that name a property. */
export interface WrittenProperty {
  readonly field?: string | null
  /** Only in v2. */
  readonly propertyIdentifier?: unknown
}

export type FindProperty = (written: WrittenProperty, path: string) => AggregatedProperty

/** How a version of the API names the property of a metric or grouping. */
export interface PropertySyntax {
  readonly fields: FieldSyntax
  /** The members that name a property. */
  readonly schema: Readonly<Record<string, TSchema>>
  /** Returns the property as `fields` writes it. */
  readonly read: (written: WrittenProperty, objectType: ObjectType, path: string) => unknown
  /** Returns the name of a property as clients write it. */
  readonly write: (property: string) => string
}

/** Long enough for a struct field, so that the parser can reject one by name. */
const maxLength = 3 * API_NAME_MAX_LENGTH

/** `field`, with the value `properties.NAME`. */
export const REVISION_1_PROPERTIES: PropertySyntax = {
  fields: REVISION_1_FIELDS,
  schema: {
    field: documentedWith(Type.String({ maxLength, description: '`properties.NAME`' }), {
      pattern: PROPERTY_PATTERN,
    }),
  },
  read: ({ field }) => field ?? undefined,
  write: (property) => `properties.${property}`,
}

/** `field`, with a bare name, or `propertyIdentifier`. */
export const V2_PROPERTIES: PropertySyntax = {
  fields: V2_FIELDS,
  schema: {
    field: optional(
      documentedWith(Type.String({ maxLength, description: FIELD_DESCRIPTION }), { minLength: 1 }),
    ),
    propertyIdentifier: Type.Optional(Type.Unsafe(documentedAs(PROPERTY_IDENTIFIER_COMPONENT))),
  },
  read: ({ field, propertyIdentifier }, objectType, path) =>
    readV2Field({ field, propertyIdentifier }, objectType, path),
  write: (property) => property,
}

export function propertyFinder(
  objectType: ObjectType,
  budget: QueryBudget,
  { fields, read }: PropertySyntax,
): FindProperty {
  const { resolve } = conditionsOf(objectType, fields, budget)
  return (written, path) => {
    const { field, type, isMultiValued } = resolve(read(written, objectType, path), path)
    const { property, structField } = field
    const whole = objectType.properties.get(property)?.type
    if (structField === undefined) {
      return {
        property,
        type: isMultiValued ? undefined : type,
        elementType: elementTypeOf(whole),
        typeName: whole === undefined ? '' : typeName(whole),
      }
    }
    const end = whole && typeAt(whole, structField)?.type
    return {
      property: fieldKey(field).replaceAll(PATH_SEPARATOR, '.'),
      field: { property, structField },
      // Only values that compare have a column.
      type: isMultiValued || type === undefined || !isComparable(type) ? undefined : type,
      elementType: undefined,
      typeName: end === undefined ? '' : typeName(end),
    }
  }
}

/** Returns what a metric or a grouping of a property reads. */
export function aggregatedBy({ property, field }: Aggregated): Aggregated {
  return field === undefined ? { property } : { property, field }
}

function elementTypeOf(type: PropertyType | undefined): ScalarType | undefined {
  return type?.kind === 'array' && type.items.kind === 'scalar' ? type.items.type : undefined
}

export function invalidPropertyType(
  { property, typeName: propertyBaseType }: AggregatedProperty,
  reason: string,
): ObjectQueryError {
  return new ObjectQueryError('InvalidPropertyType', { property, propertyBaseType, reason })
}

/**
 * Throws if a metric or a grouping has a member that its type does not take. One that only other types
 * take may be null.
 */
export function refuseOtherMembers(
  written: { readonly type: string },
  parser: UnionType,
  parsers: ReadonlyMap<string, UnionType>,
  path: string,
  kind: 'metric' | 'grouping',
  shared: readonly string[] = [],
): void {
  const ofAnyType = [...parsers.values()].flatMap(({ members }) => members)
  const present = Object.entries(written).filter(
    ([name, value]) => value != null || ![...shared, ...ofAnyType, 'type'].includes(name),
  )
  const allowed = ['type', ...shared, ...parser.members]
  const subject = `a ${kind} of type ${written.type}`
  refuseUnknownMembers(Object.fromEntries(present), allowed, path, subject)
}
