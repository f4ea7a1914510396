/** The types of values in generated code. */

export type TypeModel =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'array'; readonly items: TypeModel }
  | { readonly kind: 'struct'; readonly fields: readonly FieldModel[] }

export interface FieldModel {
  readonly apiName: string
  readonly type: TypeModel
}

export type ParameterTypeModel =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'object' | 'objectSet' | 'interface'; readonly target: string }
  | {
      readonly kind: 'struct'
      readonly fields: readonly { readonly apiName: string; readonly type: string }[]
    }

/** Compares by code unit, which does not depend on the locale of the machine. */
export function byApiName(a: { readonly apiName: string }, b: { readonly apiName: string }) {
  return a.apiName < b.apiName ? -1 : a.apiName > b.apiName ? 1 : 0
}
