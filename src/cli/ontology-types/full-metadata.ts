/** The full metadata of v2, as far as types are generated from it. Files are converted to it. */

export interface FullMetadata {
  readonly ontology: {
    readonly apiName: string
    readonly rid: string
    readonly description?: string
  }
  readonly objectTypes: Readonly<Record<string, FullObjectType>>
  readonly interfaceTypes?: Readonly<Record<string, WireInterface>>
  readonly actionTypes?: Readonly<Record<string, WireAction>>
}

export interface FullObjectType {
  readonly objectType: {
    readonly apiName: string
    readonly rid: string
    readonly displayName: string
    readonly pluralDisplayName: string
    readonly description?: string
    readonly icon: { readonly name: string; readonly color: string }
    readonly primaryKey: string
    readonly titleProperty: string
    readonly properties: Readonly<Record<string, WireProperty>>
  }
  readonly linkTypes: readonly {
    readonly apiName: string
    readonly objectTypeApiName: string
    readonly cardinality: 'ONE' | 'MANY'
  }[]
  readonly implementsInterfaces2?: Readonly<
    Record<string, { readonly properties?: Readonly<Record<string, string>> }>
  >
}

export interface WireProperty {
  readonly dataType: DataType
  readonly displayName?: string
  readonly description?: string
  readonly dataConstraints?: { readonly nullability?: string }
}

export interface DataType {
  readonly type: string
  readonly subType?: DataType
  readonly structFieldTypes?: readonly { readonly apiName: string; readonly dataType: DataType }[]
}

export interface WireInterface {
  readonly apiName: string
  readonly rid: string
  readonly displayName: string
  readonly description?: string
  readonly properties: Readonly<Record<string, WireProperty>>
  readonly allProperties?: Readonly<Record<string, WireProperty>>
  readonly extendsInterfaces?: readonly string[]
  readonly allExtendsInterfaces?: readonly string[]
  readonly implementedByObjectTypes?: readonly string[]
  readonly links?: Readonly<Record<string, WireInterfaceLink>>
  readonly allLinks?: Readonly<Record<string, WireInterfaceLink>>
}

interface WireInterfaceLink {
  readonly linkedEntityApiName: { readonly type: string; readonly apiName: string }
  readonly cardinality: 'ONE' | 'MANY'
}

export interface WireAction {
  readonly apiName: string
  readonly rid: string
  readonly displayName?: string
  readonly description?: string
  readonly status: string
  readonly parameters: Readonly<Record<string, ActionParameter>>
  readonly operations: readonly { readonly type: string; readonly objectTypeApiName?: string }[]
}

interface ActionParameter {
  readonly dataType: ActionDataType
  readonly required: boolean
  readonly description?: string
}

export interface ActionDataType {
  readonly type: string
  readonly subType?: ActionDataType
  readonly objectTypeApiName?: string
  readonly objectApiName?: string
  readonly interfaceTypeApiName?: string
  readonly fields?: readonly {
    readonly name: string
    readonly fieldType: { readonly type: string }
  }[]
}

/** Compares by code unit, which does not depend on the locale of the machine. */
export function byApiName(a: { readonly apiName: string }, b: { readonly apiName: string }) {
  return a.apiName < b.apiName ? -1 : a.apiName > b.apiName ? 1 : 0
}

/** Returns the entries as a list that is sorted by code unit: equal ontologies give equal text. */
export function sortedEntries<Value>(
  record: Readonly<Record<string, Value>> = {},
): (Value & { readonly apiName: string })[] {
  return Object.keys(record)
    .toSorted()
    .map((apiName) => ({ ...(record[apiName] as Value), apiName }))
}
