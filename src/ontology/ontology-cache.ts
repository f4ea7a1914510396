/**
 * Keeps definitions, and how callers with limited rights see them, within a number of bytes. Each
 * entry counts for the caller whose request loaded it. When the cache is full, the caller with the
 * most bytes loses what was used least recently, so nobody can evict what others use.
 */
import type { Ontology } from './ontology.ts'

/** The overhead of an entry: keys, links and counts. */
const ENTRY_BYTES = 500

interface Entry<Value> {
  readonly value: Value
  readonly bytes: number
  readonly holder: Holder
  /** What is removed with it: the views of a definition, or those that share parts of a view. */
  readonly dependents: Set<Entry<unknown>>
  /** Removes the entry from the map that finds it. */
  readonly remove: () => void
}

/** A caller, and its entries, the least recently used first. */
interface Holder {
  readonly callerId: string
  readonly entries: Set<Entry<unknown>>
  bytes: number
}

interface Definition<View> {
  readonly entry: Entry<Ontology>
  readonly views: Map<string, Entry<View>>
}

export interface CacheShare {
  readonly bytes: number
  readonly callerId: string
}

export class OntologyCache<View = unknown> {
  readonly #maxBytes: number
  readonly #definitions = new Map<string, Definition<View>>()
  /** By ontology, so that the views of a definition end with it. */
  readonly #ofOntology = new WeakMap<Ontology, Definition<View>>()
  readonly #holders = new Map<string, Holder>()
  #bytes = 0
  #reservedBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The bytes of everything in the cache, and of what was reserved. */
  get bytes(): number {
    return this.#bytes + this.#reservedBytes
  }

  get maxBytes(): number {
    return this.#maxBytes
  }

  /** Sets how many bytes something else needs that cannot be evicted: the names of all ontologies. */
  reserve(bytes: number): void {
    this.#reservedBytes = bytes
    this.#evictExcess()
  }

  find(key: string): Ontology | undefined {
    const definition = this.#definitions.get(key)
    if (definition === undefined) return undefined
    touch(definition.entry)
    return definition.entry.value
  }

  add(key: string, ontology: Ontology, share: CacheShare): void {
    this.delete(key)
    const remove = () => {
      this.#definitions.delete(key)
      this.#ofOntology.delete(ontology)
    }
    const entry = this.#hold(ontology, share, remove)
    const definition: Definition<View> = { entry, views: new Map() }
    this.#definitions.set(key, definition)
    this.#ofOntology.set(ontology, definition)
    this.#evictExcess()
  }

  /** Removes a definition that is no longer the newest, and its views. */
  delete(key: string): void {
    const definition = this.#definitions.get(key)
    if (definition !== undefined) this.#remove(definition.entry)
  }

  findView(ontology: Ontology, id: string): View | undefined {
    const entry = this.#ofOntology.get(ontology)?.views.get(id)
    if (entry === undefined) return undefined
    touch(entry)
    return entry.value
  }

  /**
   * Keeps a view of a definition, or of another view of it with which it shares parts, unless what it
   * is of was evicted meanwhile.
   */
  addView(
    ontology: Ontology,
    id: string,
    view: View,
    share: CacheShare & { readonly sharesWith?: string | undefined },
  ): void {
    const definition = this.#ofOntology.get(ontology)
    const { sharesWith } = share
    const of = sharesWith === undefined ? definition?.entry : definition?.views.get(sharesWith)
    if (definition === undefined || of === undefined) return
    const { views } = definition
    const known = views.get(id)
    if (known !== undefined) this.#remove(known)
    const remove = () => {
      views.delete(id)
      of.dependents.delete(entry)
    }
    const entry = this.#hold(view, share, remove)
    of.dependents.add(entry)
    views.set(id, entry)
    this.#evictExcess()
  }

  #hold<Value>(value: Value, share: CacheShare, remove: () => void): Entry<Value> {
    const { callerId } = share
    const holder = this.#holders.get(callerId) ?? { callerId, entries: new Set(), bytes: 0 }
    this.#holders.set(callerId, holder)
    const bytes = share.bytes + ENTRY_BYTES
    const entry = { value, bytes, holder, dependents: new Set<Entry<unknown>>(), remove }
    holder.entries.add(entry)
    holder.bytes += bytes
    this.#bytes += bytes
    return entry
  }

  #remove(entry: Entry<unknown>): void {
    const { holder, bytes } = entry
    if (!holder.entries.delete(entry)) return
    holder.bytes -= bytes
    this.#bytes -= bytes
    if (holder.entries.size === 0) this.#holders.delete(holder.callerId)
    entry.remove()
    for (const dependent of entry.dependents) this.#remove(dependent)
  }

  #evictExcess(): void {
    while (this.#bytes > 0 && this.bytes > this.#maxBytes) {
      let largest: Holder | undefined
      for (const holder of this.#holders.values()) {
        if (largest === undefined || holder.bytes > largest.bytes) largest = holder
      }
      for (const oldest of largest?.entries ?? []) {
        this.#remove(oldest)
        break
      }
    }
  }
}

/** Makes an entry the most recently used one of its holder. */
function touch(entry: Entry<unknown>): void {
  const { entries } = entry.holder
  entries.delete(entry)
  entries.add(entry)
}
