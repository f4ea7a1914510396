/** Parsed ontologies, whose parts are known to be consistent: the model that the service uses. */

import type { OntologyDefinition } from './definition/definition-schema.ts'
import type { PrimaryKeyType, PropertyType } from './definition/property-type.ts'

export interface Property {
  readonly apiName: string
  readonly type: PropertyType
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
}

export interface LinkType {
  readonly apiName: string
  readonly reverseApiName: string | undefined
  readonly from: string
  readonly to: string
  readonly foreignKey: string
}

export interface Ontology {
  readonly rid: string
  readonly apiName: string
  readonly families: readonly string[]
  readonly objectTypes: ReadonlyMap<string, ObjectType>
  readonly linkTypes: readonly LinkType[]
  /** The definition as the client wrote it, with every RID filled in. */
  readonly definition: OntologyDefinition
}
