/** Reads the catalogue of ontologies, and keeps the newest one in memory. */
import type { DatabaseSync } from 'node:sqlite'
import { Catalogue } from '../../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { Ontology } from '../../../ontology/ontology.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'

/**
 * Checks on every read whether the catalogue in memory is still the newest. Only definitions that
 * changed are read and parsed again.
 */
export class CatalogueReader {
  readonly #db: DatabaseSync
  readonly #statements: StatementCache
  #newest: Catalogue | undefined
  /** The ontologies of the newest catalogue, by RID and generation. */
  #parsed: ReadonlyMap<string, Ontology> = new Map()

  constructor(db: DatabaseSync, statements: StatementCache) {
    this.#db = db
    this.#statements = statements
  }

  /** Returns the catalogue that was last read, which may be outdated. */
  recall(): Catalogue | undefined {
    return this.#newest
  }

  read(): Catalogue {
    if (this.#newest?.generation !== this.#readGeneration()) {
      this.#newest = inTransaction(this.#db, 'read', () => this.#load())
    }
    return this.#newest
  }

  #readGeneration(): number {
    const row = this.#statements.prepare('SELECT generation FROM catalogue').get()
    return (row as unknown as [number])[0]
  }

  #load(): Catalogue {
    const rows = this.#statements
      .prepare('SELECT rid, generation FROM ontology ORDER BY api_name')
      .all() as unknown as readonly (readonly [rid: string, generation: number])[]
    this.#parsed = new Map(
      rows.map(([rid, generation]) => {
        const name = `${generation} ${rid}`
        return [name, this.#parsed.get(name) ?? this.#parse(rid, generation)]
      }),
    )
    return new Catalogue(this.#readGeneration(), [...this.#parsed.values()])
  }

  #parse(rid: string, generation: number): Ontology {
    const row = this.#statements.prepare('SELECT definition FROM ontology WHERE rid = ?').get(rid)
    const [definition] = row as unknown as [string]
    return parseDefinition(JSON.parse(definition) as OntologyDefinition, generation)
  }
}
