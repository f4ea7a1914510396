/** Documents in SQLite, which remembers the policies that every request of their callers reads. */

import { findAllDocuments, StoredDocuments } from '../core/documents/stored-documents.ts'
import { runNow } from '../core/session/operation.ts'
import type { StoreOperations } from '../core/session/store-operations.ts'
import type { DocumentKind, FoundDocuments } from '../port/credentials.ts'
import { KnownUntilCommit } from './file/statement-cache.ts'
import type { WriteConnections } from './main-thread/write-connections.ts'

export class SqliteDocuments extends StoredDocuments {
  readonly #connections: Pick<WriteConnections, 'guard' | 'reading'>
  readonly #known: KnownUntilCommit<FoundDocuments>

  constructor(operations: StoreOperations, connections: WriteConnections) {
    super(operations)
    this.#connections = connections
    this.#known = new KnownUntilCommit(connections.reading.statements)
  }

  override async findAll(
    kind: DocumentKind,
    ids: readonly string[],
    nowMs: number,
  ): Promise<FoundDocuments> {
    // Policies do not expire.
    if (kind !== 'policy') return super.findAll(kind, ids, nowMs)
    const { guard, reading } = this.#connections
    return guard.read(() =>
      this.#known.find(JSON.stringify(ids), () =>
        runNow(findAllDocuments(reading.session, kind, ids, nowMs)),
      ),
    )
  }
}
