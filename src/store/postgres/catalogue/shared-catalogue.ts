/** Reads the catalogue of PostgreSQL. Concurrent requests share what is read for all of them. */
import { CoalescedRead } from '../../../admission/coalesced-read.ts'
import type { Ontology } from '../../../ontology/ontology.ts'
import {
  type CatalogueEntries,
  type CatalogueSource,
  readDefinitionText,
  readEntries,
  readGeneration,
  type StoredEntry,
} from '../../core/definitions/catalogue-reader.ts'
import { awaited, type Operation } from '../../core/session/session.ts'
import type { Database } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'

export class SharedCatalogue implements CatalogueSource {
  readonly #database: Database
  readonly #generation: CoalescedRead<number>
  #reading: Promise<CatalogueEntries> | undefined
  readonly #definitions = new Map<StoredEntry, Promise<Ontology | undefined>>()

  constructor(database: Database) {
    this.#database = database
    this.#generation = new CoalescedRead(() => readIn(database, readGeneration))
  }

  readGeneration(): Operation<number> {
    return awaited(this.#generation.run())
  }

  readEntries(generation: number): Operation<CatalogueEntries> {
    return awaited(this.#shareEntries(generation))
  }

  load(
    entry: StoredEntry,
    parse: (definition: string) => Ontology,
  ): Operation<Ontology | undefined> {
    const running = this.#definitions.get(entry)
    if (running !== undefined) return awaited(running)
    const loading = readIn(this.#database, (session) => readDefinitionText(session, entry))
      .then((definition) => (definition === undefined ? undefined : parse(definition)))
      .finally(() => this.#definitions.delete(entry))
    this.#definitions.set(entry, loading)
    return awaited(loading)
  }

  async #shareEntries(generation: number): Promise<CatalogueEntries> {
    // Unless it started before the change.
    while (this.#reading !== undefined) {
      const read = await this.#reading
      if (read.generation >= generation) return read
    }
    const reading = this.#database.read((session) => readIn(session, readEntries))
    this.#reading = reading
    try {
      return await reading
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }
}
