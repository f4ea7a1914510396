import { randomBytes } from 'node:crypto'
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
import { releaserOf } from '../page-memory.ts'
import { Slots } from '../slots.ts'
import { openConnection } from './connection.ts'
import { crossingParts } from './crossing-change.ts'
import {
  createDatabaseFile,
  endsWithinPage,
  hasWal,
  isEmptied,
  OpenFiles,
} from './database-file.ts'
import { migrate } from './migrate.ts'
import { isQuick } from './quick-read.ts'
import { CatalogueReader } from './read-catalogue.ts'
import type { ReadJobs } from './read-jobs.ts'
import { findKept, readPage } from './read-page.ts'
import { type Reading, readOn } from './reading.ts'
import { API_TOKEN_COLUMNS, type ApiTokenRow, toApiToken } from './secrets.ts'
import { StoreDamage, toStoreFailure } from './store-failure.ts'
import { StoreGuard } from './store-guard.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'
import { WorkingThread } from './working-thread.ts'
import type { WriteJobs } from './write-jobs.ts'

/**
 * Opens the embedded store: one SQLite file, read here and written by a thread of its own. What may
 * take long is read by another thread, so that pages which do not never wait for it.
 */
export function openSqliteStore(path: string, options: StoreOptions = {}): ObjectStore {
  const file = createDatabaseFile(path)
  try {
    return openFile(file, options)
  } catch (error) {
    throw toStoreFailure(error)
  }
}

function openFile(path: string, { pageCacheBytes, onDamage }: StoreOptions): ObjectStore {
  // SQLite would take it for a new database, and delete the WAL.
  if (isEmptied(path)) throw new StoreDamage(new Error(`${path} is empty, but its WAL is not`))
  const hadWal = hasWal(path)
  const db = openConnection(path)
  try {
    const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size'])
    if (!hadWal && endsWithinPage(path, pageBytes)) {
      throw new StoreDamage(new Error(`${path} ends within a page`))
    }
    migrate(db)
    const guard = new StoreGuard(new OpenFiles(path), ({ cause }) => onDamage?.(cause))
    return new SqliteStore(path, {
      reading: readOn(db),
      cache: new PageCache(pageCacheBytes),
      guard,
    })
  } catch (error) {
    db.close()
    throw error
  }
}

/** One that is being read, and one that is at hand when it is done. */
const SLOW_READS = 2

interface StoreParts {
  readonly reading: Reading
  readonly cache: PageCache
  readonly guard: StoreGuard
}

class SqliteStore implements ObjectStore {
  readonly #guard: StoreGuard
  readonly #reading: Reading
  readonly #catalogue: CatalogueReader
  readonly #cache: PageCache
  readonly #writer: WorkingThread<WriteJobs>
  readonly #slowReader: WorkingThread<ReadJobs>
  readonly #slowReads = new Slots({
    count: SLOW_READS,
    busyReason: 'the database is busy: other questions take long',
  })

  constructor(path: string, { reading, cache, guard }: StoreParts) {
    this.#guard = guard
    this.#reading = reading
    this.#catalogue = new CatalogueReader(reading.db, reading.statements)
    this.#cache = cache
    this.#writer = new WorkingThread({
      module: 'writer-thread',
      path,
      lostReason: 'the writer stopped; whether this was written is not known',
    })
    this.#slowReader = new WorkingThread({
      module: 'reader-thread',
      path,
      lostReason: 'the reader stopped; nothing was read',
      mayBeCut: true,
    })
  }

  async check(): Promise<void> {
    this.#guard.checkFiles()
    this.#read(() => this.#reading.statements.prepare('SELECT generation FROM catalogue').get())
  }

  async readCatalogue(): Promise<Catalogue> {
    return this.#read(() => this.#catalogue.read())
  }

  async readPage(read: PageRead): Promise<StoredPage | Reclaimed> {
    if (isQuick(read)) return this.#read(() => readPage(this.#reading, read, this.#cache))
    const kept = this.#read(() => findKept(this.#reading, read, this.#cache))
    if (kept !== undefined) return kept
    const page = await this.#readSlowly('readPage', read)
    if (page === 'reclaimed') return page
    return this.#cache.keep(read, { ...page, release: releaserOf(page.records) })
  }

  aggregate(read: AggregateRead): Promise<Aggregated> {
    return this.#readSlowly('aggregate', read)
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    const sql = `SELECT ${API_TOKEN_COLUMNS} FROM api_token WHERE secret_hash = ?`
    const row = this.#read(() => this.#reading.statements.prepare(sql).get(secretHash))
    return row === undefined ? undefined : toApiToken(row as unknown as ApiTokenRow)
  }

  async listApiTokens(): Promise<readonly ApiToken[]> {
    const sql = `SELECT ${API_TOKEN_COLUMNS} FROM api_token ORDER BY created_at_ms, id`
    const rows = this.#read(() => this.#reading.statements.prepare(sql).all())
    return (rows as unknown as ApiTokenRow[]).map(toApiToken)
  }

  saveOntology({ ontology, basedOn, harms }: OntologyChange): Promise<void> {
    const { definition } = ontology
    return this.#write('saveOntology', { definition, basedOn, harms })
  }

  async commit(batch: Batch): Promise<Commit> {
    const { objectType, changes, basedOn, nowMs, replacement, keepsExisting = false } = batch
    const properties = [...objectType.properties.keys()]
    const head = { typeRid: objectType.rid, basedOn, nowMs, replacement, keepsExisting, properties }
    return this.#write('commitBatch', head, crossingParts(changes, properties))
  }

  startReplacement({ rid: typeRid }: ObjectType, nowMs: number): Promise<string> {
    return this.#write('startReplacement', { typeRid, nowMs })
  }

  async publishReplacement(
    { rid: typeRid }: ObjectType,
    replacement: string,
    nowMs: number,
  ): Promise<Commit> {
    // One index at a time, so that other writers get their turn between.
    while (await this.#write('indexReplacement', { typeRid, replacement, nowMs }));
    return this.#write('publishReplacement', { typeRid, replacement, nowMs })
  }

  abandonReplacement({ rid: typeRid }: ObjectType, replacement: string): Promise<void> {
    return this.#write('abandonReplacement', { typeRid, replacement })
  }

  async reclaim(sinceMs: number): Promise<number> {
    let total = 0
    for (;;) {
      const deleted = await this.#write('reclaimStep', sinceMs)
      total += deleted
      if (deleted === 0) return total
    }
  }

  readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    return this.#write('readPageTokenKeys', randomBytes(KEY_BYTES))
  }

  createApiToken(token: ApiToken, secretHash: string): Promise<void> {
    return this.#write('createApiToken', { token, secretHash })
  }

  revokeApiTokens(idOrName: string, nowMs: number): Promise<number> {
    return this.#write('revokeApiTokens', { idOrName, nowMs })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#writer[Symbol.asyncDispose](),
      this.#slowReader[Symbol.asyncDispose](),
    ])
    this.#reading.db.close()
  }

  #readSlowly<Name extends keyof ReadJobs>(
    name: Name,
    read: JobInput<ReadJobs[Name]>,
  ): Promise<JobResult<ReadJobs[Name]>> {
    return this.#guard.readElsewhere(() =>
      this.#slowReads.use(undefined, () => this.#slowReader.run(name, read)),
    )
  }

  #write<Name extends keyof WriteJobs>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
    parts: AsyncIterable<readonly unknown[]> | readonly [] = [],
  ): Promise<JobResult<WriteJobs[Name]>> {
    return this.#guard.write(() => this.#writer.run(name, input, parts))
  }

  #read<T>(read: () => T): T {
    return this.#guard.read(read)
  }
}
