import type { DatabaseSync } from 'node:sqlite'
import { Catalogue } from '../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../ontology/definition-schema.ts'
import { parseDefinition } from '../../ontology/parse-definition.ts'
import { inTransaction } from './connection.ts'
import type { StatementCache } from './statement-cache.ts'

/** Keeps the catalogue in memory and looks at every use whether it is still the newest. */
export class CatalogueReader {
  readonly #db: DatabaseSync
  readonly #statements: StatementCache
  #newest: Catalogue | undefined

  constructor(db: DatabaseSync, statements: StatementCache) {
    this.#db = db
    this.#statements = statements
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
    const rows = this.#statements.prepare('SELECT definition FROM ontology ORDER BY api_name').all()
    const ontologies = (rows as unknown as [string][]).map(([definition]) =>
      parseDefinition(JSON.parse(definition) as OntologyDefinition),
    )
    return new Catalogue(this.#readGeneration(), ontologies)
  }
}
