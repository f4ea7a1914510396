/** The connection of a feed, and what differs between the databases. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { CatalogueReader } from '../definitions/catalogue-reader.ts'
import type { Operation, ReadSession } from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'
import type { ValueForm } from './feed-fields.ts'

export interface FeedDatabase extends AsyncDisposable {
  readonly catalogue: CatalogueReader
  /** Selects the rows that are visible at a version, which is the value of both placeholders. */
  readonly visibleAt: string
  formOf(type: ScalarType): ValueForm
  /** Runs an operation of one statement. */
  query<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result>
  /** Runs an operation in a transaction that sees one moment. */
  read<Result>(operation: (session: FeedSession) => Operation<Result>): Promise<Result>
  write<Input>(operation: WriteOperation<Input, void>, input: Input): Promise<void>
}

export interface FeedSession extends ReadSession {
  /** Returns rows as the driver has them: there are many, and they have any number of columns. */
  rows(
    sql: string,
    parameters: readonly (string | number)[],
  ): Operation<readonly (readonly unknown[])[]>
}
