/** Parsed ontologies, whose parts are known to be consistent: the model that the service uses. */

import type { OntologyDefinition } from './definition/definition-schema.ts'
import type { Language } from './definition/language.ts'
import type { PrimaryKeyType, PropertyType } from './definition/property-type.ts'
import type { PropertyRules, ValueType } from './rules.ts'

export interface Property {
  readonly apiName: string
  readonly type: PropertyType
  /** The language in which the terms of a string, or of an array of strings, are stemmed. */
  readonly language?: Language
  /** What the definition demands of its values; undefined if nothing. */
  readonly rules?: PropertyRules
}

export interface ObjectType {
  readonly apiName: string
  readonly rid: string
  readonly primaryKey: { readonly apiName: string; readonly type: PrimaryKeyType }
  readonly titleProperty: string | undefined
  /** The cross-page limit of this type; undefined applies the limit of the endpoint. */
  readonly retrievalLimit: number | 'none' | undefined
  /** In the order of the definition, which is also the order in stored objects. */
  readonly properties: ReadonlyMap<string, Property>
  /**
   * The generation of the catalogue that the type was read from, by which a store notices that its
   * objects were rewritten since. Undefined for a type that was not read from a store.
   */
  readonly definedIn?: number | undefined
  /** What the caller of a request may see and do; 'all' in a definition that no policy limits. */
  readonly access: 'all' | Restriction
}

/** What a caller may see of an object type, if it may not see all of it or not write its objects. */
export interface Restriction {
  /** The type itself. Stores know no other. */
  readonly of: ObjectType
  /** Whether some objects are hidden. Policies know which: an ontology has no queries. */
  readonly hidesObjects: boolean
  /** The visible properties, in the order of the type; undefined for all. */
  readonly shown: readonly string[] | undefined
}

export interface LinkType {
  readonly apiName: string
  readonly reverseApiName: string | undefined
  readonly from: string
  readonly to: string
  readonly foreignKey: string
}

/**
 * One side of a link. Links have no data of their own: two objects are linked if `ownProperty` of one
 * equals `linkedProperty` of the other, so following a link is a query on the linked type.
 */
export interface LinkSide {
  readonly apiName: string
  /** The RID of the link type, which both sides share. */
  readonly rid: string
  readonly displayName: string
  readonly objectType: ObjectType
  readonly linkedType: ObjectType
  /** Whether an object has at most one linked object, or any number. */
  readonly cardinality: 'ONE' | 'MANY'
  /** The property with the key of the linked object; undefined on the reverse side. */
  readonly foreignKey: string | undefined
  readonly ownProperty: string
  readonly linkedProperty: string
  /** The type of both properties. */
  readonly keyType: PrimaryKeyType
}

/** A property type that interfaces share between object types. */
export interface SharedPropertyType extends Property {
  readonly rid: string
}

/** A property that objects have when they are viewed as an interface. */
export interface InterfaceProperty extends SharedPropertyType {
  /** Whether every implementing object type has it. */
  readonly required: boolean
}

export interface InterfaceLink {
  readonly apiName: string
  readonly rid: string
  readonly target: InterfaceLinkTarget
  readonly cardinality: 'ONE' | 'MANY'
  /** Whether every implementing object type has it. */
  readonly required: boolean
}

export type InterfaceLinkTarget =
  | { readonly kind: 'objectType'; readonly apiName: string }
  | { readonly kind: 'interfaceType'; readonly apiName: string }

/** How one object type implements an interface. */
export interface InterfaceImplementation {
  /** API name of the interface type. */
  readonly interfaceType: string
  readonly objectType: ObjectType
  /** The object type's property for each property of the interface that it has. */
  readonly properties: ReadonlyMap<string, string>
  /** The object type's link for each link of the interface that it has. */
  readonly links: ReadonlyMap<string, string>
}

/** A view that object types share: a set of properties and links under common names. */
export interface InterfaceType {
  readonly apiName: string
  readonly rid: string
  readonly extendsInterfaces: readonly string[]
  /** All interfaces that it extends, directly or not, by name. */
  readonly allExtendsInterfaces: readonly string[]
  /** Without those of the interfaces that it extends. */
  readonly properties: ReadonlyMap<string, InterfaceProperty>
  readonly allProperties: ReadonlyMap<string, InterfaceProperty>
  readonly links: ReadonlyMap<string, InterfaceLink>
  readonly allLinks: ReadonlyMap<string, InterfaceLink>
  /** By object type, in the order of their names. Includes types that implement a sub-interface. */
  readonly implementations: ReadonlyMap<string, InterfaceImplementation>
}

export type ActionKind = 'create' | 'modify' | 'delete'

export interface ActionParameter {
  readonly id: string
  /** The type of the property that it sets; `object` if it names the object of the action. */
  readonly type: PropertyType | 'object'
  readonly isRequired: boolean
}

export interface ActionType {
  readonly apiName: string
  readonly rid: string
  readonly kind: ActionKind
  readonly objectType: ObjectType
  /** By id. */
  readonly parameters: ReadonlyMap<string, ActionParameter>
}

export interface Ontology {
  readonly rid: string
  readonly apiName: string
  readonly families: readonly string[]
  readonly objectTypes: ReadonlyMap<string, ObjectType>
  readonly linkTypes: readonly LinkType[]
  /** The sides of all link types, in the order of the definition. Computed once, if needed. */
  readonly linkSides: readonly LinkSide[]
  /** By API name. Computed once, if needed. */
  readonly actionTypes: ReadonlyMap<string, ActionType>
  readonly sharedPropertyTypes: ReadonlyMap<string, SharedPropertyType>
  readonly interfaceTypes: ReadonlyMap<string, InterfaceType>
  readonly valueTypes: ReadonlyMap<string, ValueType>
  /** The definition as the client wrote it, with every RID filled in. */
  readonly definition: OntologyDefinition
  /** The fingerprint of the rights, if this is what a caller with limited rights sees. */
  readonly viewId?: string | undefined
}
