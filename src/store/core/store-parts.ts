/** What each store adds to the part that both share. */
import type { PageCache } from '../page-cache.ts'
import type { Documents } from '../port/credentials.ts'
import type { StoreOptions } from '../port/maintenance.ts'
import type { Publications } from '../port/publications.ts'
import type { RequestContext } from '../port/request-context.ts'
import type { Batch, Commit, DeleteRequest, Edit, SourceTransactions } from '../port/writes.ts'
import type { AuditedTypes, AuditedWrite } from './audit/audit-records.ts'
import type { AppliedCommits } from './commits/source-position.ts'
import type { SizeSql } from './definitions/type-states.ts'
import type { ReclaimSteps } from './maintenance/reclaim.ts'
import type { StoreOperations } from './session/store-operations.ts'
import type { TableBuilding } from './tables/construction.ts'
import type { RunningChange } from './tables/definition-changes.ts'
import type { Blocked, Publication } from './tables/replacements.ts'

export interface StoreParts {
  readonly operations: StoreOperations & TableBuilding
  readonly reclaimSteps: ReclaimSteps
  readonly publishInSteps: PublishInSteps
  /**
   * Publishes the converted objects of a change with its definition, if the transaction that has
   * converted them could not do so.
   */
  readonly finishChange?: (change: RunningChange) => Promise<void>
  readonly writes: ObjectWrites
  readonly size: SizeSql
  /** The module that encodes changes, see `ChangeEncoding`. */
  readonly encoder: URL
  readonly cache: PageCache
  readonly options: StoreOptions
  readonly documents?: Documents
  readonly publications: Publications
  /** True if readers may select current rows; otherwise they read as of the published version. */
  readonly canReadCurrentRows: boolean
}

/** Runs the steps of a publication for a caller. */
type PublishInSteps = (
  target: Publication,
  callerId: string,
  steps: {
    /**
     * Builds the indexes, one per transaction, so that other writers can run in between; except those
     * with some names, without which the replacement is not complete.
     */
    readonly buildIndexes: (builtBeside?: readonly string[]) => Promise<void>
    readonly publish: () => Promise<Commit | Blocked>
  },
) => Promise<Commit>

/** The writes of objects. Each adds its record to the audit log. */
interface ObjectWrites {
  commit(batch: Batch & AuditedWrite, context: RequestContext): Promise<Commit>
  edit(edit: Edit & AuditedWrite, context: RequestContext): Promise<Commit>
  deleteMatches(request: DeleteRequest & AuditedWrite, context: RequestContext): Promise<Commit>
  applyTransactions(
    request: SourceTransactions & AuditedTypes,
    context: RequestContext,
  ): Promise<AppliedCommits>
}
