import { Catalogue } from '../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../ontology/definition-schema.ts'
import { parseDefinition } from '../../ontology/parse-definition.ts'
import type { Database, Row } from './database.ts'

const GENERATION_SQL = 'SELECT generation FROM oqs_catalogue'

/** Keeps the catalogue in memory and looks at every use whether it is still the newest. */
export class CatalogueReader {
  readonly #database: Database
  #newest: Catalogue | undefined
  #loading: Promise<Catalogue> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  async read(): Promise<Catalogue> {
    const generation = toGeneration(await this.#database.one(GENERATION_SQL, [], { name: true }))
    if (this.#newest?.generation === generation) return this.#newest
    // Many requests that find it changed load it once; what was begun too early is of no use.
    const loaded = await this.#loading
    return loaded?.generation === generation ? loaded : this.#load()
  }

  async #load(): Promise<Catalogue> {
    const loading = this.#database.read(async (session) => {
      const rows = await session.query('SELECT definition FROM oqs_ontology ORDER BY api_name')
      const ontologies = rows.map(([definition]) =>
        parseDefinition(JSON.parse(String(definition)) as OntologyDefinition),
      )
      return new Catalogue(toGeneration(await session.query(GENERATION_SQL)), ontologies)
    })
    this.#loading = loading
    try {
      this.#newest = await loading
      return this.#newest
    } finally {
      if (this.#loading === loading) this.#loading = undefined
    }
  }
}

function toGeneration(rows: readonly Row[]): number {
  return Number(rows[0]?.[0])
}
