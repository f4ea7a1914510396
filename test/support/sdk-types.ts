/** Definitions that `@osdk/client` takes, for the object types of the tests, written by hand. */
import type { ObjectMetadata, ObjectTypeDefinition } from '@osdk/client'

/** The compile-time part of a definition. It exists only as a type, as in generated code. */
interface Metadata<
  Properties extends Record<string, ObjectMetadata.Property>,
  Links extends Record<string, ObjectMetadata.Link<ObjectTypeDefinition, boolean>>,
> extends ObjectMetadata {
  readonly properties: Properties
  readonly links: Links
}

interface Property<T extends ObjectMetadata.Property['type'], IsArray extends boolean = false> {
  readonly type: T
  readonly multiplicity: IsArray
  readonly nullable: true
}

interface Key<T extends 'string' | 'integer'> {
  readonly type: T
  readonly multiplicity: false
  readonly nullable: false
}

const osdkMetadata = { extraUserAgent: 'typescript-sdk/0.0.0 osdk-test/0.0.0' }

export interface NumberType extends ObjectTypeDefinition {
  readonly __DefinitionMetadata?: Metadata<
    { n: Key<'integer'>; text: Property<'string'> },
    Record<never, never>
  > & { readonly objectSet?: unknown }
}
export const NumberType: NumberType = {
  type: 'object',
  apiName: 'number',
  osdkMetadata,
  primaryKeyApiName: 'n',
  primaryKeyType: 'integer',
}

export interface Airport extends ObjectTypeDefinition {
  readonly __DefinitionMetadata?: Metadata<
    {
      id: Key<'string'>
      name: Property<'string'>
      elevation: Property<'integer'>
      passengers: Property<'long'>
      opened: Property<'datetime'>
      location: Property<'geopoint'>
      aliases: Property<'string', true>
      countryCode: Property<'string'>
    },
    { country: ObjectMetadata.Link<Country, false> }
  > & { readonly objectSet?: unknown }
}
export const Airport: Airport = {
  type: 'object',
  apiName: 'airport',
  osdkMetadata,
  primaryKeyApiName: 'id',
  primaryKeyType: 'string',
}

export interface Country extends ObjectTypeDefinition {
  readonly __DefinitionMetadata?: Metadata<
    { code: Key<'string'>; name: Property<'string'> },
    { airports: ObjectMetadata.Link<Airport, true> }
  > & { readonly objectSet?: unknown }
}
export const Country: Country = {
  type: 'object',
  apiName: 'country',
  osdkMetadata,
  primaryKeyApiName: 'code',
  primaryKeyType: 'string',
}
