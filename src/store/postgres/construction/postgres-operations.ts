/** Runs the operations of the parts that both stores share. */

import { newMemory, type Operation, type ReadSession } from '../../core/session/session.ts'
import type {
  SlowRead,
  StoreOperations,
  WriteOperation,
} from '../../core/session/store-operations.ts'
import {
  type BuildOperation,
  RolledBack,
  type TableBuilding,
} from '../../core/tables/construction.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../../port/request-context.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { Session } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'
import { isLockTimeout } from '../driver/store-failure.ts'
import { buildIn } from './postgres-table-builder.ts'

export class PostgresOperations implements StoreOperations, TableBuilding {
  readonly isBusy = isLockTimeout
  readonly #store: PostgresContext
  readonly #memory = newMemory()

  constructor(store: PostgresContext) {
    this.#store = store
  }

  read<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    return readIn(this.#store.database, operation)
  }

  readSlowly<Input, Result>(
    { run, isOneMoment = false }: SlowRead<Input, Result>,
    input: Input,
    context: RequestContext,
  ): Promise<Result> {
    const runOn = (session: Pick<Session, 'query'>) =>
      readIn(session, (reading) => run(reading, input), this.#memory)
    return this.#store.database.readSlowly(context, (lane) =>
      isOneMoment ? lane.read(runOn) : runOn(lane),
    )
  }

  write<Input, Result>(
    { run }: WriteOperation<Input, Result>,
    input: Input,
    { callerId }: RequestContext = INTERNAL_CONTEXT,
  ): Promise<Result> {
    const { database } = this.#store
    return database.write((session) => runIn(session, (core) => run(core, input)), { callerId })
  }

  build<Input, Result>(
    { run }: BuildOperation<Input, Result>,
    input: Input,
    { key, context }: { readonly key: string; readonly context?: RequestContext },
  ): Promise<Result> {
    return writeInTurn(this.#store, { key, callerId: context?.callerId }, (session) =>
      buildIn(this.#store, session, (builder) => run(builder, input)),
    ).catch((error) => RolledBack.resultOf(error))
  }
}
