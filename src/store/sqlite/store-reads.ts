/** Queries in SQLite: on this thread if they are quick, and in a reader process if they may be slow. */

import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type {
  FindTypesRequest,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  StoredPage,
  StoredSetPage,
  TriedObjects,
  Verified,
} from '../object-store.ts'
import type { PageCache } from '../page-cache.ts'
import { releaserOf } from '../page-cache.ts'
import type { RequestContext } from '../port/request-context.ts'
import { reported } from '../port/request-context.ts'
import { encodeChange } from '../sql/stored-change.ts'
import { DRY_RUN, tryInSteps } from '../sql/try-objects.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { readQuickPage } from './pages/read-page.ts'
import { readQuickSetPage } from './pages/sqlite-set-reader.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import { findTypesQuickly } from './queries/sqlite-type-searcher.ts'
import type { ReadJobs } from './threads/read-jobs.ts'
import type { SlowReaders } from './threads/store-threads.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import { verifyTables } from './threads/verify-tables.ts'

export interface ReadConnections {
  readonly reading: ReadConnection
  readonly guard: StoreGuard
  readonly slowReaders: SlowReaders
  readonly cache: PageCache
}

export class SqliteReads {
  readonly #connections: ReadConnections

  constructor(connections: ReadConnections) {
    this.#connections = connections
  }

  async readPage(
    request: ReadPageRequest,
    context: RequestContext,
  ): Promise<StoredPage | Reclaimed> {
    const { guard, reading, cache } = this.#connections
    const quickPage = guard.read(() => readQuickPage(reading, request, context, cache))
    if (quickPage !== undefined) return reported(context, quickPage)
    const page = reported(context, await this.readSlowly('readPage', request, context))
    if (page === 'reclaimed') return page
    return cache.keep(request, { ...page, release: releaserOf(page.records) })
  }

  async readSetPage(
    request: ReadSetPageRequest,
    context: RequestContext,
  ): Promise<StoredSetPage | Reclaimed> {
    const { guard, reading } = this.#connections
    const quickPage = guard.read(() => readQuickSetPage(reading, request))
    if (quickPage !== undefined) return reported(context, quickPage)
    const page = reported(context, await this.readSlowly('readSetPage', request, context))
    return page === 'reclaimed' ? page : { ...page, release: releaserOf(page.records) }
  }

  async findTypes(request: FindTypesRequest, context: RequestContext): Promise<string[]> {
    const { guard, reading } = this.#connections
    const found = guard.read(() => findTypesQuickly(reading, request))
    return found ?? this.readSlowly('findTypes', request, context)
  }

  tryObjects(
    { ontology, id: changeId, basedOn, ...plan }: OntologyChange,
    context: RequestContext,
  ): Promise<TriedObjects> {
    const change = encodeChange({ ...plan, definition: ontology.definition })
    const request = { changeId, change, basedOn }
    return tryInSteps(
      { ontology, types: plan.types },
      (next) => this.readSlowly('tryNextObjects', { ...request, ...next }, context),
      DRY_RUN,
    )
  }

  verify(signal: AbortSignal): Promise<Verified> {
    const { guard, reading } = this.#connections
    return guard.readElsewhere(() => verifyTables(reading.db.location() ?? '', signal))
  }

  readSlowly<Name extends keyof ReadJobs & string>(
    name: Name,
    request: JobInput<ReadJobs[Name]>,
    context: RequestContext,
  ): Promise<JobResult<ReadJobs[Name]>> {
    const { guard, slowReaders } = this.#connections
    return guard.readElsewhere(() => slowReaders.run(name, request, context))
  }
}
