/** What a sync is asked for, and the source that it finds. */
import type { Client } from 'pg'
import type { DefinitionChange } from '../../client/endpoints/definition-change.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { TableChoice } from './choose-tables.ts'
import type { Publication } from './publication.ts'
import type { RefusedRows } from './refused-rows.ts'
import type { SourceTable } from './source-tables.ts'
import type { TypeOwners } from './type-owners.ts'

export interface SyncRequest extends TableChoice {
  /** The URL of the source. */
  readonly url: string
  readonly ontology: string
  /** The object type of the only table. */
  readonly type?: string | undefined
  /** The name of slot and publication; derived from ontology and tables by default. */
  readonly slot?: string | undefined
  /** Drops the slot and copies again. */
  readonly restart: boolean
}

/** A table whose changes do not have the columns that are known of it. */
export interface Misfit {
  readonly oid: number
  /** Whether the same change did not fit after the table was looked at. */
  readonly isRepeated: boolean
}

export interface PrepareRequest extends SyncRequest {
  /** Whether this process has followed the slot already. */
  readonly isFollowing: boolean
  /** The table that the stream did not fit just now. */
  readonly misfit: Misfit | undefined
  readonly refused: RefusedRows
  readonly owners: TypeOwners
  /** Called with the slot and its server, see `ownerName`, when there is a sync to report about. */
  readonly onOwner: (owner: string) => void
  readonly signal: AbortSignal
  readonly onNote: (text: string) => void
  /** Called again and again while the service converts objects for a changed definition. */
  readonly onChanging: (change: DefinitionChange) => void
}

export interface ContinuedSource {
  readonly client: Client
  readonly slot: string
  readonly publication: Publication
  readonly all: readonly SourceTable[]
  readonly current: OntologyDefinition
  readonly owner: string
}
