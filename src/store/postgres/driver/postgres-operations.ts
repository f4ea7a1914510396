/** Runs the operations of the parts that both stores share. */

import type { Operation } from '../../core/session/operation.ts'
import type { ReadSession } from '../../core/session/session.ts'
import type {
  SlowRead,
  StoreOperations,
  WriteOperation,
} from '../../core/session/store-operations.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../../port/request-context.ts'
import type { Database } from './database.ts'
import { readIn, runIn } from './postgres-session.ts'
import { isLockTimeout } from './store-failure.ts'

export class PostgresOperations implements StoreOperations {
  readonly isBusy = isLockTimeout
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  read<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    return readIn(this.#database, operation)
  }

  readSlowly<Input, Result>(
    { run }: SlowRead<Input, Result>,
    input: Input,
    context: RequestContext,
  ): Promise<Result> {
    return this.#database.readSlowly(context, (lane) =>
      readIn(lane, (session) => run(session, input)),
    )
  }

  write<Input, Result>(
    { run }: WriteOperation<Input, Result>,
    input: Input,
    { callerId }: RequestContext = INTERNAL_CONTEXT,
  ): Promise<Result> {
    return this.#database.write((session) => runIn(session, (core) => run(core, input)), {
      callerId,
    })
  }
}
