/**
 * The part of the catalogue that a store keeps in memory: the names of all ontologies, and the
 * definitions that were used lately.
 */
import { MEMORY_BUDGET_MIN_BYTES } from '../contract/limits.ts'
import { DEFINITIONS_MEMORY_SHARE } from '../contract/memory-limits.ts'
import {
  Catalogue,
  CatalogueIndex,
  type OntologyEntry,
  type OntologyName,
} from '../ontology/catalogue.ts'
import type { OntologyDefinition } from '../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../ontology/definition/parse-definition.ts'
import type { Ontology } from '../ontology/ontology.ts'
import { ontologyBytes } from '../ontology/ontology-bytes.ts'
import { OntologyCache } from '../ontology/ontology-cache.ts'

/** Which definitions a catalogue has; without options, all of them. */
export interface CatalogueOptions {
  readonly named: readonly OntologyName[]
  /**
   * The caller that the memory of the definitions counts for. Without one, only definitions that are
   * in memory anyway are part of the catalogue.
   */
  readonly callerId?: string | undefined
}

/** An ontology in the index, and the generation in which its definition last changed. */
export interface StoredEntry extends OntologyEntry {
  readonly generation: number
}

/** The memory of an entry, without its texts. */
const ENTRY_BYTES = 500
const FAMILY_BYTES = 100

export class CatalogueMemory {
  readonly #definitions: OntologyCache
  #index: CatalogueIndex<StoredEntry> | undefined

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
    return ontology && new Catalogue(index.generation, [ontology], index)
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
export function wantedEntries<Entry extends OntologyEntry>(
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
