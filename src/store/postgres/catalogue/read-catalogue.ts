/** Reads the catalogue of ontologies, and the definitions that are needed. */
import { CoalescedRead } from '../../../admission/coalesced-read.ts'
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
import type { Database, Row } from '../driver/database.ts'

/** Increases with every change of a definition. */
export const GENERATION_SQL = '(SELECT generation FROM oqs_catalogue)'

const ENTRIES_SQL = `SELECT o.rid, o.api_name, s.generation, (
    SELECT json_agg(family) FROM oqs_ontology_family WHERE ontology_rid = o.rid
  )::text FROM oqs_ontology AS o JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid
  ORDER BY o.api_name`

const SUMMARIES_SQL = `SELECT o.rid, o.api_name, s.display_name, s.description
  FROM oqs_ontology AS o JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid
  ORDER BY o.api_name`

const DEFINITION_SQL = `SELECT definition FROM oqs_ontology AS o
  JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid WHERE o.rid = ? AND s.generation = ?`

/** Checks on every read whether the catalogue in memory is still the newest. */
export class CatalogueReader {
  readonly #database: Database
  readonly #memory: CatalogueMemory
  readonly #generation: CoalescedRead<number>
  #loading: Promise<CatalogueIndex<StoredEntry>> | undefined
  /** Definitions that are being loaded: concurrent requests share a load. */
  readonly #definitions = new Map<StoredEntry, Promise<Ontology | undefined>>()

  constructor(database: Database, definitions: StoreOptions['definitions']) {
    this.#database = database
    this.#memory = new CatalogueMemory(definitions)
    this.#generation = new CoalescedRead(() =>
      database.query(`SELECT ${GENERATION_SQL}`, [], { isPrepared: true }).then(toGeneration),
    )
  }

  /** Returns what is in memory, which may be outdated. */
  recall(name: OntologyName): Catalogue | undefined {
    return this.#memory.recall(name)
  }

  async read(options?: CatalogueOptions): Promise<Catalogue> {
    for (;;) {
      const index = await this.#readIndex()
      const catalogue = await this.#collect(index, options)
      if (catalogue !== undefined) return catalogue
    }
  }

  async readSummaries(): Promise<readonly OntologySummary[]> {
    const rows = await this.#database.query(SUMMARIES_SQL)
    return rows.map(([rid, apiName, displayName, description]) => ({
      rid: String(rid),
      apiName: String(apiName),
      displayName: displayName == null ? undefined : String(displayName),
      description: description == null ? undefined : String(description),
    }))
  }

  /** Returns undefined if a definition has changed since the index was read. */
  async #collect(
    index: CatalogueIndex<StoredEntry>,
    options: CatalogueOptions | undefined,
  ): Promise<Catalogue | undefined> {
    const ontologies: Ontology[] = []
    const loader = options === undefined ? INTERNAL_CONTEXT.callerId : options.callerId
    for (const entry of wantedEntries(index, options)) {
      const known = this.#memory.find(entry)
      if (known === undefined && loader === undefined) continue
      const ontology = known ?? (await this.#load(entry, loader ?? ''))
      if (ontology === undefined) return undefined
      ontologies.push(ontology)
    }
    return new Catalogue(index.generation, ontologies, index)
  }

  async #readIndex(): Promise<CatalogueIndex<StoredEntry>> {
    const generation = await this.#generation.run()
    const { index } = this.#memory
    if (index !== undefined && index.generation >= generation) return index
    // Concurrent requests share one load, unless it started before the change.
    while (this.#loading !== undefined) {
      const loaded = await this.#loading
      if (loaded.generation >= generation) return loaded
    }
    return this.#loadIndex()
  }

  async #loadIndex(): Promise<CatalogueIndex<StoredEntry>> {
    const loading = this.#database.read(async (session) => {
      const rows = await session.query(ENTRIES_SQL)
      const generation = toGeneration(await session.query(`SELECT ${GENERATION_SQL}`))
      return this.#memory.update(generation, rows.map(toEntry))
    })
    this.#loading = loading
    try {
      return await loading
    } finally {
      if (this.#loading === loading) this.#loading = undefined
    }
  }

  #load(entry: StoredEntry, callerId: string): Promise<Ontology | undefined> {
    const running = this.#definitions.get(entry)
    if (running !== undefined) return running
    const { rid, generation } = entry
    const loading = this.#database
      .query(DEFINITION_SQL, [rid, generation], { isPrepared: true })
      .then(([row]) => row && this.#memory.parse(entry, String(row[0]), callerId))
      .finally(() => this.#definitions.delete(entry))
    this.#definitions.set(entry, loading)
    return loading
  }
}

function toEntry([rid, apiName, generation, families]: Row): StoredEntry {
  return {
    rid: String(rid),
    apiName: String(apiName),
    generation: Number(generation),
    families: families == null ? [] : (JSON.parse(String(families)) as string[]),
  }
}

function toGeneration(rows: readonly Row[]): number {
  return Number(rows[0]?.[0])
}
