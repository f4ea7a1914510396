/** Documents in SQLite: read on this thread, written by the writer thread. */

import type {
  DocumentGuard,
  DocumentKind,
  Documents,
  FoundDocuments,
  StoredDocument,
} from '../documents.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../port/request-context.ts'
import { toGuardMessage } from '../sql/document-row.ts'
import { findDocument, listDocuments } from './catalogue/documents.ts'
import { KnownUntilCommit } from './file/known-until-commit.ts'
import type { StatementCache } from './file/statement-cache.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WriteJobs } from './threads/write-jobs.ts'

/** How documents reach the database. */
export interface DocumentAccess {
  readonly read: <T>(read: (statements: StatementCache) => T) => T
  readonly write: <Name extends keyof WriteJobs & string>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
    context: RequestContext,
  ) => Promise<JobResult<WriteJobs[Name]>>
}

export class SqliteDocuments implements Documents {
  readonly #access: DocumentAccess
  #known: KnownUntilCommit<FoundDocuments> | undefined

  constructor(access: DocumentAccess) {
    this.#access = access
  }

  put(
    document: StoredDocument,
    context = INTERNAL_CONTEXT,
    guard?: DocumentGuard,
  ): Promise<boolean> {
    return this.#access.write('putDocument', { document, ...messageOf(guard) }, context)
  }

  async find(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    return this.#access.read((statements) => findDocument(statements, { kind, id }, nowMs))
  }

  async findAll(
    kind: DocumentKind,
    ids: readonly string[],
    nowMs: number,
  ): Promise<FoundDocuments> {
    return this.#access.read((statements) => {
      const read = (): FoundDocuments => ({
        documents: ids.flatMap((id) => findDocument(statements, { kind, id }, nowMs) ?? []),
        generation: undefined,
      })
      // Policies, which every request of their callers reads, do not expire.
      if (kind !== 'policy') return read()
      this.#known ??= new KnownUntilCommit(statements)
      return this.#known.find(JSON.stringify(ids), read)
    })
  }

  take(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    return this.#access.write('takeDocument', { kind, id, nowMs }, INTERNAL_CONTEXT)
  }

  extend(kind: DocumentKind, id: string, expiresAtMs: number, nowMs: number): Promise<boolean> {
    const input = { kind, id, expiresAtMs, nowMs }
    return this.#access.write('extendDocument', input, INTERNAL_CONTEXT)
  }

  async list(kind: DocumentKind, nowMs: number): Promise<readonly StoredDocument[]> {
    return this.#access.read((statements) => listDocuments(statements, kind, nowMs))
  }

  delete(kind: DocumentKind, id: string, guard?: DocumentGuard): Promise<boolean> {
    const input = { kind, id, ...messageOf(guard) }
    return this.#access.write('deleteDocument', input, INTERNAL_CONTEXT)
  }
}

function messageOf(guard: DocumentGuard | undefined) {
  return guard === undefined ? {} : { guard: toGuardMessage(guard) }
}
