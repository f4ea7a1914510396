/** What generated types are written from, whether it comes from a service or from a file. */

export type TypeModel =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'array'; readonly items: TypeModel }
  | { readonly kind: 'struct'; readonly fields: readonly FieldModel[] }

export interface FieldModel {
  readonly apiName: string
  readonly type: TypeModel
}

export interface PropertyModel extends FieldModel {
  readonly displayName: string | undefined
  readonly description: string | undefined
}

export interface LinkModel {
  readonly apiName: string
  /** The object type that the link leads to, or the interface if it is a link of an interface. */
  readonly target: string
  readonly leadsToInterface: boolean
  readonly isMany: boolean
}

export interface ObjectTypeModel {
  readonly apiName: string
  readonly rid: string | undefined
  readonly displayName: string
  readonly pluralDisplayName: string
  readonly description: string | undefined
  readonly icon: IconModel
  readonly primaryKey: string
  readonly titleProperty: string
  readonly properties: readonly PropertyModel[]
  readonly links: readonly LinkModel[]
  /** For each interface, the property that implements each of its properties. */
  readonly interfaces: readonly {
    readonly apiName: string
    readonly properties: readonly (readonly [interfaceProperty: string, property: string])[]
  }[]
}

interface IconModel {
  readonly name: string
  readonly color: string
}

export interface InterfaceModel {
  readonly apiName: string
  readonly rid: string
  readonly displayName: string
  readonly description: string | undefined
  readonly extends: readonly string[]
  readonly implementedBy: readonly string[]
  readonly properties: readonly PropertyModel[]
  readonly links: readonly LinkModel[]
}

export interface ParameterModel {
  readonly apiName: string
  readonly description: string | undefined
  readonly isRequired: boolean
  readonly isMany: boolean
  readonly type: ParameterTypeModel
}

export type ParameterTypeModel =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'object' | 'objectSet' | 'interface'; readonly target: string }
  | {
      readonly kind: 'struct'
      readonly fields: readonly { readonly apiName: string; readonly type: string }[]
    }

export interface ActionModel {
  readonly apiName: string
  readonly rid: string
  readonly displayName: string | undefined
  readonly description: string | undefined
  readonly status: string
  readonly parameters: readonly ParameterModel[]
  readonly modified: readonly {
    readonly objectType: string
    readonly isCreated: boolean
    readonly isModified: boolean
  }[]
}

/** All lists are sorted by API name, so that equal ontologies give equal text. */
export interface OntologyModel {
  readonly apiName: string
  readonly rid: string | undefined
  readonly description: string | undefined
  readonly objectTypes: readonly ObjectTypeModel[]
  readonly interfaces: readonly InterfaceModel[]
  readonly actions: readonly ActionModel[]
}

/** Compares by code unit, which does not depend on the locale of the machine. */
export function byApiName(a: { readonly apiName: string }, b: { readonly apiName: string }) {
  return a.apiName < b.apiName ? -1 : a.apiName > b.apiName ? 1 : 0
}
