/**
 * How the parts that both stores share reach the database. On SQLite, writes run in the writer
 * thread and slow reads in another process: both are named, and their input is plain data.
 */
import type { RequestContext } from '../../port/request-context.ts'
import type { CoreSession, Operation, ReadSession } from './session.ts'

/** An operation that another thread or process can run. */
export interface NamedOperation<Session, Input, Result> {
  readonly name: string
  readonly run: (session: Session, input: Input) => Operation<Result>
}

/** A transaction of its own. PostgreSQL repeats it after a conflict. */
export type WriteOperation<Input, Result> = NamedOperation<CoreSession, Input, Result>
export interface SlowRead<Input, Result> extends NamedOperation<ReadSession, Input, Result> {
  /** Whether all statements must see the same moment, on PostgreSQL too. */
  readonly isOneMoment?: boolean
}

export interface StoreOperations {
  /** Runs statements that read little, without a transaction. */
  read<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result>
  /** Times out and stops like `readPage`. */
  readSlowly<Input, Result>(
    operation: SlowRead<Input, Result>,
    input: Input,
    context: RequestContext,
  ): Promise<Result>
  /** Runs a transaction; in the turn of a caller if there is a context. */
  write<Input, Result>(
    operation: WriteOperation<Input, Result>,
    input: Input,
    context?: RequestContext,
  ): Promise<Result>
  /** True for the error of a write that has waited too long for another one. */
  isBusy(error: unknown): boolean
}
