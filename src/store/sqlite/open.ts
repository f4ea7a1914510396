import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { OntologyChange } from '../../ontology/change-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { KEY_BYTES } from '../../paging/token-keys.ts'
import type { Aggregated, AggregateRead } from '../aggregate-read.ts'
import type {
  ApiToken,
  Batch,
  Commit,
  ObjectStore,
  PageRead,
  Reclaimed,
  StoredPage,
  StoreOptions,
} from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import { aggregate } from './aggregate.ts'
import { addAggregateFunctions } from './aggregate-functions.ts'
import { openConnection } from './connection.ts'
import { crossingParts } from './crossing-change.ts'
import { migrate } from './migrate.ts'
import { CatalogueReader } from './read-catalogue.ts'
import { readPage } from './read-page.ts'
import { API_TOKEN_COLUMNS, type ApiTokenRow, toApiToken } from './secrets.ts'
import { StatementCache } from './statement-cache.ts'
import { toStoreFailure } from './store-failure.ts'
import { Writer } from './writer.ts'

/** Opens the embedded store: one SQLite file, read here and written by a thread of its own. */
export function openSqliteStore(path: string, { pageCacheBytes }: StoreOptions = {}): ObjectStore {
  const db = openConnection(path)
  try {
    migrate(db)
    addAggregateFunctions(db)
    // From here on this connection only reads; whatever writes goes through the writer.
    db.exec('PRAGMA query_only = ON')
  } catch (error) {
    db.close()
    throw error
  }
  return new SqliteStore(path, db, new Writer(path), new PageCache(pageCacheBytes))
}

function fileNumber(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

class SqliteStore implements ObjectStore {
  readonly #path: string
  readonly #fileNumber: number | undefined
  readonly #db: DatabaseSync
  readonly #writer: Writer
  readonly #statements: StatementCache
  readonly #catalogue: CatalogueReader
  readonly #cache: PageCache

  constructor(path: string, db: DatabaseSync, writer: Writer, cache: PageCache) {
    this.#path = path
    this.#fileNumber = fileNumber(path)
    this.#db = db
    this.#writer = writer
    this.#cache = cache
    this.#statements = new StatementCache(db)
    this.#catalogue = new CatalogueReader(db, this.#statements)
  }

  async check(): Promise<void> {
    this.#checkFile()
    this.#read(() => this.#statements.prepare('SELECT generation FROM catalogue').get())
  }

  async readCatalogue(): Promise<Catalogue> {
    return this.#read(() => this.#catalogue.read())
  }

  async readPage(read: PageRead): Promise<StoredPage | Reclaimed> {
    return this.#read(() => readPage(this.#db, this.#statements, this.#cache, read))
  }

  async aggregate(read: AggregateRead): Promise<Aggregated> {
    return this.#read(() => aggregate(this.#db, this.#statements, read))
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    const sql = `SELECT ${API_TOKEN_COLUMNS} FROM api_token WHERE secret_hash = ?`
    const row = this.#read(() => this.#statements.prepare(sql).get(secretHash))
    return row === undefined ? undefined : toApiToken(row as unknown as ApiTokenRow)
  }

  async listApiTokens(): Promise<readonly ApiToken[]> {
    const sql = `SELECT ${API_TOKEN_COLUMNS} FROM api_token ORDER BY created_at_ms, id`
    const rows = this.#read(() => this.#statements.prepare(sql).all())
    return (rows as unknown as ApiTokenRow[]).map(toApiToken)
  }

  saveOntology({ ontology, basedOn, harms }: OntologyChange): Promise<void> {
    const { definition } = ontology
    return this.#writer.run('saveOntology', { definition, basedOn, harms })
  }

  async commit(batch: Batch): Promise<Commit> {
    this.#checkFile()
    const { objectType, changes, basedOn, nowMs, replacement, keepsExisting = false } = batch
    const properties = [...objectType.properties.keys()]
    const head = { typeRid: objectType.rid, basedOn, nowMs, replacement, keepsExisting, properties }
    return this.#writer.run('commitBatch', head, crossingParts(changes, properties))
  }

  startReplacement({ rid: typeRid }: ObjectType, nowMs: number): Promise<string> {
    return this.#writer.run('startReplacement', { typeRid, nowMs })
  }

  async publishReplacement(
    { rid: typeRid }: ObjectType,
    replacement: string,
    nowMs: number,
  ): Promise<Commit> {
    // One index at a time, so that other writers get their turn between.
    while (await this.#writer.run('indexReplacement', { typeRid, replacement, nowMs }));
    return this.#writer.run('publishReplacement', { typeRid, replacement, nowMs })
  }

  abandonReplacement({ rid: typeRid }: ObjectType, replacement: string): Promise<void> {
    return this.#writer.run('abandonReplacement', { typeRid, replacement })
  }

  async reclaim(sinceMs: number): Promise<number> {
    let total = 0
    for (;;) {
      const deleted = await this.#writer.run('reclaimStep', sinceMs)
      total += deleted
      if (deleted === 0) return total
    }
  }

  readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    return this.#writer.run('readPageTokenKeys', randomBytes(KEY_BYTES))
  }

  createApiToken(token: ApiToken, secretHash: string): Promise<void> {
    return this.#writer.run('createApiToken', { token, secretHash })
  }

  revokeApiTokens(idOrName: string, nowMs: number): Promise<number> {
    return this.#writer.run('revokeApiTokens', { idOrName, nowMs })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]()
    this.#db.close()
  }

  /** A database whose file was moved or deleted can still be written to, for nobody to read. */
  #checkFile(): void {
    if (fileNumber(this.#path) === this.#fileNumber) return
    const reason = 'the file of the store is gone or was replaced; start the service again'
    throw new ObjectQueryError('ServiceUnavailable', { reason })
  }

  #read<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw toStoreFailure(error)
    }
  }
}
