/** A change of a definition that converts many objects, and therefore runs in the background. */
import type { RequestContext } from '../admission/request-context.ts'
import type { OntologyChange } from '../ontology/definition/change-definition.ts'
import type { RewriteState } from './rewrite.ts'

/**
 * What saving a definition did: it is `saved`, or the objects are being converted. The definition is
 * then saved when they are.
 */
export type SaveOutcome = 'saved' | 'started'

/** The changes of definitions that run in the background. */
export interface DefinitionChanges {
  /** Returns the last change of an ontology that runs or ran in the background. */
  find(ontologyRid: string): Promise<DefinitionChange | undefined>
  /** Ends a change; returns false if none is running. */
  cancel(ontologyRid: string, context?: RequestContext): Promise<boolean>
}

/**
 * `failed` if a value does not fit the new definition or if something else changed meanwhile: the
 * earlier definition stays, as it does if the change is `cancelled`.
 */
export type DefinitionChangeState = 'running' | 'published' | 'failed' | 'cancelled'

/** The last change of an ontology that ran in the background, or that still does. */
export interface DefinitionChange extends Pick<OntologyChange, 'types' | 'links'> {
  readonly id: string
  readonly state: DefinitionChangeState
  readonly startedAtMs: number
  /** The progress of each type whose objects are converted; empty unless the change is running. */
  readonly rewrites: readonly RewriteState[]
  /** The number of objects that are being loaded into these types: they are published first. */
  readonly loadingObjects: number
  /** Why the change has failed. */
  readonly reasons: readonly string[]
  /** The first stored objects that do not fit. */
  readonly unfitObjects: readonly UnfitObject[]
}

/** A stored object that has no place in the new definition. */
export interface UnfitObject {
  readonly objectType: string
  readonly primaryKey: string
  readonly property?: string
  readonly reason: string
}
