import type { OntologyDefinition } from './definition/definition-schema.ts'
import type { PrimaryKeyType, PropertyType } from './definition/property-type.ts'

/** An ontology whose parts are known to fit together: what the rest of the service works with. */

export interface Property {
  readonly apiName: string
  readonly type: PropertyType
}

export interface ObjectType {
  readonly apiName: string
  readonly rid: string
  readonly primaryKey: { readonly apiName: string; readonly type: PrimaryKeyType }
  readonly titleProperty: string | undefined
  /** This type's own cross-page limit; the endpoint's holds where it has none. */
  readonly retrievalLimit: number | 'none' | undefined
  /** In the order of the definition, which is the order in a stored object. */
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
  /** As it was written, with every RID filled in. */
  readonly definition: OntologyDefinition
}
