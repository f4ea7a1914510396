/** Reads the catalogue of ontologies, and the definitions that are needed. */
import type { DatabaseSync } from 'node:sqlite'
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import { Catalogue, type CatalogueIndex, type OntologyName } from '../../../ontology/catalogue.ts'
import type { Ontology } from '../../../ontology/ontology.ts'
import {
  CatalogueMemory,
  type CatalogueOptions,
  type StoredEntry,
  wantedEntries,
} from '../../catalogue-memory.ts'
import type { OntologySummary, StoreOptions } from '../../object-store.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'

const ENTRIES_SQL = `SELECT o.rid, o.api_name, s.generation, (
    SELECT json_group_array(family) FROM oqs_ontology_family WHERE ontology_rid = o.rid
  ) FROM oqs_ontology AS o JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid ORDER BY o.api_name`

const SUMMARIES_SQL = `SELECT o.rid, o.api_name, s.display_name, s.description
  FROM oqs_ontology AS o JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid ORDER BY o.api_name`

type EntryRow = readonly [rid: string, apiName: string, generation: number, families: string]
type SummaryRow = readonly [string, string, string | null, string | null]

/** Checks on every read whether the catalogue in memory is still the newest. */
export class CatalogueReader {
  readonly #db: DatabaseSync
  readonly #statements: StatementCache
  readonly #memory: CatalogueMemory

  constructor(
    db: DatabaseSync,
    statements: StatementCache,
    definitions: StoreOptions['definitions'],
  ) {
    this.#db = db
    this.#statements = statements
    this.#memory = new CatalogueMemory(definitions)
  }

  /** Returns what is in memory, which may be outdated. */
  recall(name: OntologyName): Catalogue | undefined {
    return this.#memory.recall(name)
  }

  read(options?: CatalogueOptions): Catalogue {
    const { index } = this.#memory
    const recall = (entry: StoredEntry) => this.#memory.find(entry)
    const loader = options === undefined ? INTERNAL_CONTEXT.callerId : options.callerId
    const find = loader === undefined ? recall : (entry: StoredEntry) => this.#load(entry, loader)
    const isNewest = index?.generation === this.#readGeneration()
    if (isNewest && (loader === undefined || wantedEntries(index, options).every(recall))) {
      return this.#collect(index, options, recall)
    }
    return inTransaction(this.#db, 'read', () => this.#collect(this.#loadIndex(), options, find))
  }

  readSummaries(): readonly OntologySummary[] {
    const rows = this.#statements.prepare(SUMMARIES_SQL).all() as unknown as readonly SummaryRow[]
    return rows.map(([rid, apiName, displayName, description]) => ({
      rid,
      apiName,
      displayName: displayName ?? undefined,
      description: description ?? undefined,
    }))
  }

  #collect(
    index: CatalogueIndex<StoredEntry>,
    options: CatalogueOptions | undefined,
    find: (entry: StoredEntry) => Ontology | undefined,
  ): Catalogue {
    const ontologies = wantedEntries(index, options).flatMap((entry) => find(entry) ?? [])
    return new Catalogue(index.generation, ontologies, index)
  }

  #readGeneration(): number {
    const row = this.#statements.prepare('SELECT generation FROM oqs_catalogue').get()
    return (row as unknown as [number])[0]
  }

  /** Must be called in a transaction, as `#load`. */
  #loadIndex(): CatalogueIndex<StoredEntry> {
    const generation = this.#readGeneration()
    const { index } = this.#memory
    if (index?.generation === generation) return index
    const rows = this.#statements.prepare(ENTRIES_SQL).all() as unknown as readonly EntryRow[]
    const entries = rows.map(([rid, apiName, changedIn, families]) => ({
      rid,
      apiName,
      generation: changedIn,
      families: JSON.parse(families) as string[],
    }))
    return this.#memory.update(generation, entries)
  }

  #load(entry: StoredEntry, callerId: string): Ontology {
    const known = this.#memory.find(entry)
    if (known !== undefined) return known
    const statement = this.#statements.prepare('SELECT definition FROM oqs_ontology WHERE rid = ?')
    const [definition] = statement.get(entry.rid) as unknown as [string]
    return this.#memory.parse(entry, definition, callerId)
  }
}
