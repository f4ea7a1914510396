/** Definitions of ontologies as they cross the port. */
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { CatalogueOptions } from '../catalogue-memory.ts'
import type { DefinitionChanges, SaveOutcome } from '../definition-change.ts'
import type { OntologySummary, TypeState } from '../store-status.ts'
import type { IdempotencyNote } from '../write-request.ts'
import type { RequestContext } from './request-context.ts'

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
