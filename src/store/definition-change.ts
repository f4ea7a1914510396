/** A change of a definition that converts many objects, and therefore runs in the background. */

import type { OntologyChange } from '../ontology/definition/change-definition.ts'
import type { RequestContext } from './port/request-context.ts'
import type { RewriteState } from './rewrite.ts'

/**
 * The result of saving a definition: it is `saved`, or a background change was `started`, which
 * saves it once the objects are converted.
 */
export type SaveOutcome = 'saved' | 'started'

/** What a change of a definition would do to the stored objects. */
export interface TriedObjects {
  /** The number of objects that were converted as a trial. */
  readonly tried: number
  /** The number of these that do not fit, and the first of them. */
  readonly unfit: number
  readonly unfitObjects: readonly UnfitObject[]
  /** What could not be tried, as phrases; empty if everything was. */
  readonly untried: readonly string[]
}

/** Trials of changes, and background changes. */
export interface DefinitionChanges {
  /**
   * Converts the stored objects as a change would, and writes nothing. Reads them in many slow
   * queries, so it is slow if there are many. Stops when the client disconnects.
   */
  tryObjects(change: OntologyChange, context?: RequestContext): Promise<TriedObjects>
  /** Returns the last background change of an ontology, running or ended. */
  find(ontologyRid: string): Promise<DefinitionChange | undefined>
  /** Ends a change; returns false if none is running. */
  cancel(ontologyRid: string, context?: RequestContext): Promise<boolean>
}

/**
 * `failed` if a value does not fit the new definition or if something else changed meanwhile: the
 * earlier definition stays, as it does if the change is `cancelled`.
 */
export type DefinitionChangeState = 'running' | 'published' | 'failed' | 'cancelled'

/** The last background change of an ontology, running or ended. */
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

/** A stored object that does not fit the new definition. */
export interface UnfitObject {
  readonly objectType: string
  readonly primaryKey: string
  readonly property?: string
  readonly reason: string
}
