/**
 * Runs the operations of the parts that both stores share: reads on this thread, writes in the writer
 * thread, and slow reads in a reader process.
 */

import { findAllDocuments, StoredDocuments } from '../core/documents/stored-documents.ts'
import type { OperationMessage } from '../core/named-operations.ts'
import { type Operation, type ReadSession, runNow } from '../core/session/session.ts'
import type { SlowRead, StoreOperations, WriteOperation } from '../core/session/store-operations.ts'
import type { BuildOperation, TableBuilding } from '../core/tables/construction.ts'
import type { DocumentKind, FoundDocuments } from '../port/credentials.ts'
import type { RequestContext } from '../port/request-context.ts'
import { KnownUntilCommit } from './file/sqlite-session.ts'
import type { WriteConnections } from './main-thread/write-connections.ts'
import { inReadTransaction } from './queries/read-connection.ts'
import type { ReadJobs } from './threads/read-jobs.ts'
import type { SlowReaders } from './threads/store-threads.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'

export class SqliteOperations implements StoreOperations, TableBuilding {
  readonly #connections: WriteConnections
  readonly #slowReaders: SlowReaders

  constructor(connections: WriteConnections, slowReaders: SlowReaders) {
    this.#connections = connections
    this.#slowReaders = slowReaders
  }

  async read<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    const { guard, reading } = this.#connections
    return guard.read(() => inReadTransaction(reading, () => runNow(operation(reading.session))))
  }

  async readSlowly<Input, Result>(
    { name }: SlowRead<Input, Result>,
    input: Input,
    context: RequestContext,
  ): Promise<Result> {
    // The other process runs the operation of this name.
    return (await this.runSlowly('runOperation', { name, input }, context)) as Result
  }

  /** Runs a job in a reader process. */
  runSlowly<Name extends keyof ReadJobs & string>(
    name: Name,
    request: JobInput<ReadJobs[Name]>,
    context: RequestContext,
  ): Promise<JobResult<ReadJobs[Name]>> {
    const run = () => this.#slowReaders.run(name, request, context)
    return this.#connections.guard.readElsewhere(run)
  }

  write<Input, Result>(
    { name }: WriteOperation<Input, Result>,
    input: Input,
    context?: RequestContext,
  ): Promise<Result> {
    return this.#run('runOperation', { name, input }, context)
  }

  build<Input, Result>(
    { name }: BuildOperation<Input, Result>,
    input: Input,
    { context }: { readonly context?: RequestContext },
  ): Promise<Result> {
    return this.#run('runBuild', { name, input }, context)
  }

  /** Runs an operation in the writer thread; in the turn of a caller if there is a context. */
  async #run<Result>(
    job: 'runOperation' | 'runBuild',
    message: OperationMessage,
    context: RequestContext | undefined,
  ): Promise<Result> {
    const { guard, writer, queue } = this.#connections
    const run = () => guard.write(() => writer.run(job, message))
    // The other thread runs the operation of this name.
    return (await (context === undefined
      ? run()
      : queue.run({ callerId: context.callerId }, run))) as Result
  }

  /** One transaction writes at a time, in the order of a queue. */
  isBusy(): boolean {
    return false
  }
}

/** Remembers the policies, which every request of their callers reads. */
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
