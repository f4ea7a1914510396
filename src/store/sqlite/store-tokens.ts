/** API tokens in SQLite: read on this thread, written by the writer thread. */
import type { ApiToken, OnceNote } from '../object-store.ts'
import { toOnceMessage } from '../sql/once-key.ts'
import { findApiToken, findApiTokenById, listApiTokens } from './catalogue/secrets.ts'
import type { StoreGuard } from './file/store-guard.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WorkerThread } from './threads/worker-thread.ts'
import type { WriteJobs } from './threads/write-jobs.ts'

/** The part of the store port about API tokens. */
export class SqliteTokens {
  readonly #reading: ReadConnection
  readonly #guard: StoreGuard
  readonly #writer: WorkerThread<WriteJobs>

  constructor(reading: ReadConnection, guard: StoreGuard, writer: WorkerThread<WriteJobs>) {
    this.#reading = reading
    this.#guard = guard
    this.#writer = writer
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.#read(() => findApiToken(this.#reading.statements, secretHash))
  }

  async findApiTokenById(id: string): Promise<ApiToken | undefined> {
    return this.#read(() => findApiTokenById(this.#reading.statements, id))
  }

  async listApiTokens(): Promise<readonly ApiToken[]> {
    return this.#read(() => listApiTokens(this.#reading.statements))
  }

  createApiToken(token: ApiToken, secretHash: string, once?: OnceNote): Promise<void> {
    return this.#write('createApiToken', { token, secretHash, once: toOnceMessage(once) })
  }

  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number> {
    return this.#write('revokeApiTokens', { ids, nowMs })
  }

  deleteApiTokens(ids: readonly string[]): Promise<void> {
    return this.#write('deleteApiTokens', ids)
  }

  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number> {
    return this.#write('revokeIssuedTokens', { clientOrGrantId, nowMs })
  }

  #write<Name extends keyof WriteJobs & string>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
  ): Promise<JobResult<WriteJobs[Name]>> {
    return this.#guard.write(() => this.#writer.run(name, input))
  }

  #read<T>(read: () => T): T {
    return this.#guard.read(read)
  }
}
