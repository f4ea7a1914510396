/** Reads the catalogue of ontologies, and the definitions that are needed, and keeps them in memory. */

import { MEMORY_BUDGET_MIN_BYTES } from '../../../contract/limits.ts'
import { DEFINITIONS_MEMORY_SHARE } from '../../../contract/memory-limits.ts'
import {
  Catalogue,
  CatalogueIndex,
  type OntologyEntry,
  type OntologyName,
} from '../../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { Ontology } from '../../../ontology/ontology.ts'
import { ontologyBytes } from '../../../ontology/ontology-bytes.ts'
import { OntologyCache } from '../../../ontology/ontology-cache.ts'
import type { StoreOptions } from '../../object-store.ts'
import type { CatalogueOptions } from '../../port/definitions.ts'
import type { OntologySummary } from '../../port/maintenance.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import { integer, type Operation, optional, type ReadSession, text } from '../session/session.ts'

/** An ontology in the index, and the generation in which its definition last changed. */
export interface StoredEntry extends OntologyEntry {
  readonly generation: number
}

/** How a store reads the catalogue. */
export interface CatalogueSource {
  /** Returns the generation, which increases with every change of a definition. */
  readGeneration(): Operation<number>
  /** Reads all entries in one transaction, at least those of a generation. */
  readEntries(generation: number): Operation<CatalogueEntries>
  /** Reads a definition. Returns undefined if it has changed since its entry was read. */
  load(entry: StoredEntry, parse: (definition: string) => Ontology): Operation<Ontology | undefined>
}

export interface CatalogueEntries {
  readonly generation: number
  readonly entries: readonly StoredEntry[]
}

/** Checks on every read whether the catalogue in memory is still the newest. */
export class CatalogueReader {
  readonly #source: CatalogueSource
  readonly #memory: CatalogueMemory

  constructor(source: CatalogueSource, definitions: StoreOptions['definitions']) {
    this.#source = source
    this.#memory = new CatalogueMemory(definitions)
  }

  /** Returns what is in memory, which may be outdated. */
  cached(name: OntologyName): Catalogue | undefined {
    return this.#memory.cached(name)
  }

  *read(options?: CatalogueOptions): Operation<Catalogue> {
    for (;;) {
      const catalogue = yield* this.#collect(yield* this.#readIndex(), options)
      if (catalogue !== undefined) return catalogue
    }
  }

  *#readIndex(): Operation<CatalogueIndex<StoredEntry>> {
    const generation = yield* this.#source.readGeneration()
    const { index } = this.#memory
    if (index !== undefined && index.generation >= generation) return index
    const read = yield* this.#source.readEntries(generation)
    return this.#memory.update(read.generation, read.entries)
  }

  /** Returns undefined if a definition has changed since the index was read. */
  *#collect(
    index: CatalogueIndex<StoredEntry>,
    options: CatalogueOptions | undefined,
  ): Operation<Catalogue | undefined> {
    const ontologies: Ontology[] = []
    const loader = options === undefined ? INTERNAL_CONTEXT.callerId : options.callerId
    for (const entry of wantedEntries(index, options)) {
      const known = this.#memory.find(entry)
      if (known === undefined && loader === undefined) continue
      const ontology = known ?? (yield* this.#load(entry, loader ?? ''))
      if (ontology === undefined) return undefined
      ontologies.push(ontology)
    }
    return this.#memory.catalogueOf(index, ontologies)
  }

  #load(entry: StoredEntry, callerId: string): Operation<Ontology | undefined> {
    return this.#source.load(entry, (definition) => this.#memory.parse(entry, definition, callerId))
  }
}

/** The memory of an entry, without its texts. */
const ENTRY_BYTES = 500
const FAMILY_BYTES = 100

/**
 * The part of the catalogue that a store keeps in memory: the names of all ontologies, and the
 * definitions that were used lately.
 */
class CatalogueMemory {
  readonly #definitions: OntologyCache
  #index: CatalogueIndex<StoredEntry> | undefined
  /** The last catalogue that has only this definition. */
  readonly #catalogues = new WeakMap<Ontology, Catalogue>()

  constructor(definitions = new OntologyCache(MEMORY_BUDGET_MIN_BYTES * DEFINITIONS_MEMORY_SHARE)) {
    this.#definitions = definitions
  }

  get index(): CatalogueIndex<StoredEntry> | undefined {
    return this.#index
  }

  /** Replaces the index, and drops the definitions that are no longer the newest. */
  update(generation: number, entries: readonly StoredEntry[]): CatalogueIndex<StoredEntry> {
    const before = this.#index
    if (before !== undefined && before.generation > generation) return before
    const index = new CatalogueIndex(generation, entries)
    this.#index = index
    for (const entry of before?.entries ?? []) {
      if (index.find(entry.rid)?.generation !== entry.generation) {
        this.#definitions.delete(keyOf(entry))
      }
    }
    this.#definitions.reserve(entries.reduce((sum, entry) => sum + entryBytes(entry), 0))
    return index
  }

  /** Returns the catalogue with a definition that is in memory; undefined if that is not. */
  cached(name: OntologyName): Catalogue | undefined {
    const index = this.#index
    const entry = index?.findNamed(name)
    if (index === undefined) return undefined
    if (entry === undefined) return new Catalogue(index.generation, [], index)
    const ontology = this.find(entry)
    return ontology && this.catalogueOf(index, [ontology])
  }

  /** Returns a catalogue. Most requests need one definition, and share the catalogue that has it. */
  catalogueOf(index: CatalogueIndex<StoredEntry>, ontologies: readonly Ontology[]): Catalogue {
    const [ontology] = ontologies
    if (ontology === undefined || ontologies.length > 1) {
      return new Catalogue(index.generation, ontologies, index)
    }
    const known = this.#catalogues.get(ontology)
    if (known?.index === index) return known
    const catalogue = new Catalogue(index.generation, ontologies, index)
    this.#catalogues.set(ontology, catalogue)
    return catalogue
  }

  /** Returns the definition of an entry, if it is in memory. */
  find(entry: StoredEntry): Ontology | undefined {
    return this.#definitions.find(keyOf(entry))
  }

  /** Parses a definition that was read for a caller, and keeps it. */
  parse(entry: StoredEntry, text: string, callerId: string): Ontology {
    const definition = JSON.parse(text) as OntologyDefinition
    const ontology = parseDefinition(definition, entry.generation)
    const bytes = ontologyBytes(ontology, text.length)
    this.#definitions.add(keyOf(entry), ontology, { bytes, callerId })
    return ontology
  }
}

/** Returns the entries that a catalogue should have definitions of, each once. */
function wantedEntries<Entry extends OntologyEntry>(
  index: CatalogueIndex<Entry>,
  options: CatalogueOptions | undefined,
): readonly Entry[] {
  if (options === undefined) return index.entries
  return [...new Set(options.named.flatMap((name) => index.findNamed(name) ?? []))]
}

function keyOf({ rid, generation }: StoredEntry): string {
  return `${generation} ${rid}`
}

function entryBytes({ rid, apiName, families }: StoredEntry): number {
  const texts = rid.length + apiName.length
  return families.reduce((sum, family) => sum + FAMILY_BYTES + family.length, ENTRY_BYTES + texts)
}

/** Increases with every change of a definition. */
export const GENERATION_SQL = '(SELECT generation FROM oqs_catalogue)'

export function* readGeneration(session: ReadSession): Operation<number> {
  const sql = `SELECT ${GENERATION_SQL}`
  const row = yield* session.find(sql, [], { generation: integer }, { isPrepared: true })
  return row?.generation ?? 0
}

/** Must be called in a transaction. */
export function* readEntries(session: ReadSession): Operation<CatalogueEntries> {
  const generation = yield* readGeneration(session)
  const ontologies = yield* session.query(
    `SELECT o.rid, o.api_name, s.generation FROM oqs_ontology AS o
     JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid ORDER BY o.api_name`,
    [],
    { rid: text, apiName: text, generation: integer },
  )
  const rows = yield* session.query('SELECT ontology_rid, family FROM oqs_ontology_family', [], {
    rid: text,
    family: text,
  })
  const families = Map.groupBy(rows, ({ rid }) => rid)
  const entries = ontologies.map((ontology) => ({
    ...ontology,
    families: families.get(ontology.rid)?.map(({ family }) => family) ?? [],
  }))
  return { generation, entries }
}

/** Returns the text of a definition; undefined if it has changed since its entry was read. */
export function* readDefinitionText(
  session: ReadSession,
  { rid, generation }: StoredEntry,
): Operation<string | undefined> {
  const row = yield* session.find(
    `SELECT o.definition FROM oqs_ontology AS o
     JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid
     WHERE o.rid = ? AND s.generation = ?`,
    [rid, generation],
    { definition: text },
    { isPrepared: true },
  )
  return row?.definition
}

export function readSummaries(session: ReadSession): Operation<readonly OntologySummary[]> {
  return session.query(
    `SELECT o.rid, o.api_name, s.display_name, s.description FROM oqs_ontology AS o
     JOIN oqs_ontology_summary AS s ON s.ontology_rid = o.rid ORDER BY o.api_name`,
    [],
    { rid: text, apiName: text, displayName: optional(text), description: optional(text) },
  )
}
