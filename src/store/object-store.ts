/**
 * The port between the service and its databases. A store keeps versioned rows: each commit on an
 * object type creates the type's next version, and a page is read as of one version.
 */
import type { Credentials } from './port/credentials.ts'
import type { Definitions } from './port/definitions.ts'
import type { Maintenance } from './port/maintenance.ts'
import type { Objects } from './port/objects.ts'

export type { AggregateRequest, AggregateResult } from './aggregate-request.ts'
export type { ApiToken, CachedToken } from './api-token.ts'
export type {
  AuditFilter,
  AuditLog,
  StoredAuditRecord,
} from './audit-log.ts'
export type { CatalogueOptions } from './catalogue-memory.ts'
export {
  type ChangeEncoder,
  type ChangeEncoding,
  type CreateEncoder,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from './change-encoding.ts'
export type {
  DefinitionChange,
  DefinitionChanges,
  SaveOutcome,
  TriedObjects,
} from './definition-change.ts'
export type {
  DocumentGuard,
  Documents,
  FoundDocuments,
  StoredDocument,
} from './documents.ts'
export { checksumOf } from './object-checksum.ts'
export type {
  Cursor,
  ReadPageRequest,
  Reclaimed,
  RecordSpec,
  StoredPage,
} from './page-request.ts'
export type { Credentials } from './port/credentials.ts'
export type { Definitions, OntologyDeletion, SavedChange } from './port/definitions.ts'
export type { Retention, Verified } from './port/maintenance.ts'
export type { FindTypesRequest, Objects } from './port/objects.ts'
export type { RewriteProgress } from './rewrite.ts'
export {
  type ReadSetPageRequest,
  type SetOrderTerm,
  type SetPagePart,
  type StoredSetPage,
  typesOfSet,
} from './set-page.ts'
export type { ReaderExit, StoreOptions } from './store-options.ts'
export type { OntologySummary, StoreStatus, TypeState } from './store-status.ts'
export {
  type Batch,
  type Change,
  type ChangePart,
  type Commit,
  type CurrentObject,
  type DeleteRequest,
  type Edit,
  type EncodedChanges,
  type IdempotencyKey,
  type IdempotencyNote,
  isEncoded,
  type PublishMode,
} from './write-request.ts'

/**
 * A store of typed objects. The store contract suite checks what every store guarantees: a commit
 * is visible as a whole or not at all; an acknowledged commit is never lost; a page as of a version
 * never changes, except for titles, which follow the definition.
 */
export interface ObjectStore extends Objects, Definitions, Credentials, Maintenance {}

/**
 * A store without its objects. Parts that serve requests get the objects separately, with the rules
 * of the caller applied, so that nothing can bypass them.
 */
export type StoreBesideObjects = Omit<ObjectStore, keyof Objects>
