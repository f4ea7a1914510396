/** The progress of rewriting the objects of a type into another table, in the background. */

/**
 * `copying` the objects, building an index, `catchingUp` with commits made since, then `published`.
 * A rewrite is `cancelled` if its type is replaced, redefined or dropped, and may start again. It has
 * `failed` if an object cannot be rewritten; the type keeps its table and its definition.
 */
export type RewritePhase =
  | 'copying'
  | 'indexing'
  | 'catchingUp'
  | 'published'
  | 'cancelled'
  | 'failed'

/**
 * A rewrite that is running or has failed. One that has succeeded leaves no entry in the catalogue.
 */
export interface RewriteState extends RewriteProgress {
  readonly phase: Exclude<RewritePhase, 'published' | 'cancelled'>
}

export interface RewriteProgress {
  readonly typeRid: string
  /** Set if the objects are converted to another definition of this ontology. */
  readonly ontologyRid?: string
  readonly phase: RewritePhase
  /** The number of objects that were copied. */
  readonly objects: number
  readonly totalObjects: number
  /** Why the rewrite has failed. */
  readonly reason?: string | undefined
}
