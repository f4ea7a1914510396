/**
 * Runs the operations of the parts that both stores share: reads on this thread, writes in the writer
 * thread, and slow reads in a reader process.
 */

import { type Operation, runNow } from '../core/session/operation.ts'
import type { ReadSession } from '../core/session/session.ts'
import type { SlowRead, StoreOperations, WriteOperation } from '../core/session/store-operations.ts'
import type { RequestContext } from '../port/request-context.ts'
import type { WriteConnections } from './main-thread/write-connections.ts'
import type { SqliteReads } from './store-reads.ts'

export class SqliteOperations implements StoreOperations {
  readonly #connections: WriteConnections
  readonly #reads: SqliteReads

  constructor(connections: WriteConnections, reads: SqliteReads) {
    this.#connections = connections
    this.#reads = reads
  }

  async read<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    const { guard, reading } = this.#connections
    return guard.read(() => runNow(operation(reading.session)))
  }

  async readSlowly<Input, Result>(
    { name }: SlowRead<Input, Result>,
    input: Input,
    context: RequestContext,
  ): Promise<Result> {
    // The other process runs the operation of this name.
    return (await this.#reads.readSlowly('runOperation', { name, input }, context)) as Result
  }

  async write<Input, Result>(
    { name }: WriteOperation<Input, Result>,
    input: Input,
    context?: RequestContext,
  ): Promise<Result> {
    const { guard, writer, queue } = this.#connections
    const run = () => guard.write(() => writer.run('runOperation', { name, input }))
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
