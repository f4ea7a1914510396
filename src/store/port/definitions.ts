/** Definitions of ontologies as they cross the port. */
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { OntologySummary, RewriteState, TypeState } from './maintenance.ts'
import type { RequestContext } from './request-context.ts'
import type { IdempotencyNote } from './writes.ts'

export interface Definitions {
  /**
   * Returns the names of all ontologies, with the definitions that the options name. Without options
   * it has all definitions, which may not fit into memory: for commands, not for requests.
   */
  readCatalogue(options?: CatalogueOptions): Promise<Catalogue>
  /**
   * Returns the catalogue that was last read, with the definition of one ontology, without asking
   * the database; undefined if the definition is not in memory. Only for a request whose context
   * has a `cachedIdentity`, which its first page verifies.
   */
  cachedCatalogue(name: OntologyName): Catalogue | undefined
  /** Returns the texts of all ontologies, by API name, without reading a definition. */
  readOntologySummaries(): Promise<readonly OntologySummary[]>
  /**
   * Saves a definition, and converts the stored objects of the types that it redefines, in one
   * transaction. If there are many, `rewriteNext` converts them in the background, and then saves
   * the definition. Throws `OntologyChangeRefused` if that would lose values or if one does not
   * fit, and `OntologyChangeInProgress` while another change runs. A dry run does everything else,
   * but leaves the objects to `definitionChanges.tryObjects`. The note of `idempotencyKey` is
   * recorded if the definition is saved; none if a background change is started.
   */
  saveOntology(change: SavedChange, context?: RequestContext): Promise<SaveOutcome>
  readonly definitionChanges: DefinitionChanges
  /** Throws `OntologyChangeRefused` if the ontology has objects, unless the deletion cascades. */
  deleteOntology(deletion: OntologyDeletion, context?: RequestContext): Promise<void>

  /** Returns the newest state of every object type of an ontology, without reading objects. */
  readTypeStates(ontologyRid: string): Promise<readonly TypeState[]>
}

export interface OntologyDeletion {
  readonly ontologyRid: string
  readonly apiName: string
  /** The catalogue generation that contained the ontology. */
  readonly basedOn: number
  /** Whether its objects are deleted as well. */
  readonly cascade: boolean
  readonly idempotencyKey?: IdempotencyNote | undefined
}

/** A change of a definition, and the key of its request. */
export interface SavedChange extends OntologyChange {
  readonly idempotencyKey?: IdempotencyNote | undefined
}

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

/** Which definitions a catalogue has; without options, all of them. */
export interface CatalogueOptions {
  readonly named: readonly OntologyName[]
  /**
   * The caller that the memory of the definitions counts for. Without one, only definitions that are
   * in memory anyway are part of the catalogue.
   */
  readonly callerId?: string | undefined
}
