/** The progress of rewriting the objects of a type into a table of the current layout. */

/**
 * `copying` the objects, building an index, `catchingUp` with commits made since, then `published`.
 * A rewrite is `cancelled` if its type is replaced, redefined or dropped, and may start again. It has
 * `failed` if an object cannot be rewritten; the type keeps its table until its definition changes.
 */
export type RewritePhase =
  | 'copying'
  | 'indexing'
  | 'catchingUp'
  | 'published'
  | 'cancelled'
  | 'failed'

/** A rewrite as the catalogue knows it: one that has ended well leaves no trace. */
export interface RewriteState extends RewriteProgress {
  readonly phase: Exclude<RewritePhase, 'published' | 'cancelled'>
}

export interface RewriteProgress {
  readonly typeRid: string
  readonly phase: RewritePhase
  /** The number of objects that were copied. */
  readonly objects: number
  readonly totalObjects: number
  /** Why the rewrite has failed. */
  readonly reason?: string | undefined
}
