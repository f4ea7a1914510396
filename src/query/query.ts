/**
 * The query tree: one closed union that every request shape parses into. Stores compile it; tokens
 * are bound to it. Its members are written in a fixed order, so that equal queries have equal JSON.
 */
export type Query =
  /** No conditions: every object of the type. */
  { readonly kind: 'everything' }

export const EVERYTHING: Query = { kind: 'everything' }
