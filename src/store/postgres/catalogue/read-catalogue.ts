/** Reads the catalogue of ontologies, and keeps the newest one in memory. */
import { CoalescedRead } from '../../../admission/coalesced-read.ts'
import { Catalogue } from '../../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type { Ontology } from '../../../ontology/ontology.ts'
import type { Database, Row, Session } from '../driver/database.ts'

/** Increases with every change of a definition. */
export const GENERATION_SQL = '(SELECT generation FROM oqs_catalogue)'

/**
 * Returns hashes, which tell whether a definition has changed without sending its text, and the
 * generations in which its object types last changed.
 */
const DEFINITIONS_SQL = `SELECT rid, encode(sha256(convert_to(definition, 'UTF8')), 'base64'), (
    SELECT coalesce(max(generation), 0) FROM oqs_object_type AS t WHERE t.ontology_rid = o.rid
  ) FROM oqs_ontology AS o ORDER BY api_name`

/**
 * Checks on every read whether the catalogue in memory is still the newest. Only definitions that
 * changed are read and parsed again.
 */
export class CatalogueReader {
  readonly #database: Database
  #newest: Catalogue | undefined
  readonly #generation: CoalescedRead<number>
  #loading: Promise<Catalogue> | undefined
  /** The ontologies of the newest catalogue, by RID, hash and generation. */
  #parsed: ReadonlyMap<string, Ontology> = new Map()

  constructor(database: Database) {
    this.#database = database
    this.#generation = new CoalescedRead(() =>
      database.query(`SELECT ${GENERATION_SQL}`, [], { isPrepared: true }).then(toGeneration),
    )
  }

  /** The newest catalogue that was read. */
  get newest(): Catalogue | undefined {
    return this.#newest
  }

  async read(): Promise<Catalogue> {
    const generation = await this.#generation.run()
    if (this.#newest !== undefined && this.#newest.generation >= generation) return this.#newest
    // Concurrent requests share one load, unless it started before the change.
    while (this.#loading !== undefined) {
      const loaded = await this.#loading
      if (loaded.generation >= generation) return loaded
    }
    return this.#load()
  }

  async #load(): Promise<Catalogue> {
    const loading = this.#database.read(async (session) => {
      const parsed = new Map<string, Ontology>()
      for (const [rid, hash, changedIn] of await session.query(DEFINITIONS_SQL)) {
        // Two changes may have restored a definition, but not the tables of its objects.
        const name = `${hash} ${changedIn} ${rid}`
        const known = this.#parsed.get(name)
        parsed.set(name, known ?? (await readOntology(session, String(rid), Number(changedIn))))
      }
      this.#parsed = parsed
      const generation = toGeneration(await session.query(`SELECT ${GENERATION_SQL}`))
      return new Catalogue(generation, [...parsed.values()])
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

async function readOntology(session: Session, rid: string, definedIn: number): Promise<Ontology> {
  const rows = await session.query('SELECT definition FROM oqs_ontology WHERE rid = ?', [rid])
  return parseDefinition(JSON.parse(String(rows[0]?.[0])) as OntologyDefinition, definedIn)
}

function toGeneration(rows: readonly Row[]): number {
  return Number(rows[0]?.[0])
}
