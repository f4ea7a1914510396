/** The part of the store port that is the same on both databases. */
import { randomBytes } from 'node:crypto'
import { REWRITTEN_AT_ONCE_MAX } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { AuditLog, Documents, StoredDocument } from '../port/credentials.ts'
import type {
  DefinitionChanges,
  OntologyDeletion,
  SavedChange,
  SaveOutcome,
} from '../port/definitions.ts'
import type {
  OntologySummary,
  Retention,
  StoreStatus,
  TypeState,
  WriteState,
} from '../port/maintenance.ts'
import type {
  ListChangesRequest,
  ListedChanges,
  Reclaimed,
  SplitKeys,
  SplitKeysRequest,
} from '../port/pages.ts'
import type { Publications } from '../port/publications.ts'
import { INTERNAL_CONTEXT } from '../port/request-context.ts'
import type {
  AppliedTransactions,
  Batch,
  ChangeEncoding,
  Commit,
  DeleteRequest,
  Edit,
  IdempotencyKey,
  PublishMode,
  SourceTransactions,
} from '../port/writes.ts'
import { DEFAULT_DEFINITION_LIMITS } from '../sql/definition-limits.ts'
import { encodeChange } from '../sql/stored-change.ts'
import { DRY_RUN, type NextObjects, tryInSteps } from '../sql/try-objects.ts'
import { audited, auditedDefinition, auditedTypes } from './audit/audit-records.ts'
import { StoredAuditLog } from './audit/stored-audit-log.ts'
import { changeEncoding } from './catalogue/change-encoding.ts'
import { tryNextObjects } from './changes/try-next-objects.ts'
import { WriteWatch } from './commits/write-watch.ts'
import { StoredCredentials } from './credentials/stored-credentials.ts'
import { readSummaries } from './definitions/catalogue-reader.ts'
import { deleteOntology, saveOntology } from './definitions/save-ontology.ts'
import { readDatabaseStatus, readTypeStates } from './definitions/type-states.ts'
import { StoredDocuments } from './documents/stored-documents.ts'
import { listChanges } from './history/list-changes.ts'
import { findEarlierCommit, toKeyMessage } from './idempotency/idempotency-keys.ts'
import { reclaim } from './maintenance/reclaim.ts'
import { splitKeys } from './pages/split-keys.ts'
import type { StoreOperations } from './session/store-operations.ts'
import type { StoreParts } from './store-parts.ts'
import type { TableBuilding } from './tables/construction.ts'
import { cancelChange, readDefinitionChange } from './tables/definition-changes.ts'
import {
  abandonReplacement,
  indexReplacement,
  isIdleReplacement,
  publishReplacement,
  startReplacement,
  touchReplacement,
} from './tables/replacements.ts'

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
const CATALOGUE = 'catalogue'

/**
 * Returns what a store writes to see whether it can. Smaller documents may fit where a batch did not,
 * and others can be compressed. It has expired, so maintenance removes it.
 */
function writeTrial(): StoredDocument {
  const body = randomBytes(TRIAL_BYTES).toString('base64')
  return { kind: 'writeTrial', id: 'trial', body, expiresAtMs: 0 }
}

const TRIAL_BYTES = 1024 * 1024

export class CoreStore extends StoredCredentials {
  readonly documents: Documents
  readonly publications: Publications
  readonly audit: AuditLog
  readonly encoding: ChangeEncoding
  readonly definitionChanges: DefinitionChanges
  readonly #parts: StoreParts
  readonly #operations: StoreOperations & TableBuilding
  readonly #writes = new WriteWatch(() => this.documents.put(writeTrial()))
  #reclaims = 0

  constructor(parts: StoreParts) {
    const { operations, documents = new StoredDocuments(operations) } = parts
    super(operations)
    this.#parts = parts
    this.#operations = operations
    this.documents = documents
    this.publications = parts.publications
    this.audit = new StoredAuditLog(operations)
    this.encoding = changeEncoding(operations, parts.encoder)
    this.definitionChanges = {
      find: (ontologyRid) =>
        operations.read((session) => readDefinitionChange(session, ontologyRid)),
      tryObjects: ({ ontology, id: changeId, basedOn, ...plan }, context = INTERNAL_CONTEXT) => {
        const change = encodeChange({ ...plan, definition: ontology.definition })
        const tryNext = (next: NextObjects) =>
          operations.readSlowly(tryNextObjects, { changeId, change, basedOn, ...next }, context)
        return tryInSteps({ ontology, types: plan.types }, tryNext, DRY_RUN)
      },
      cancel: (ontologyRid, context) => operations.write(cancelChange, ontologyRid, context),
    }
  }

  async reclaim(retention: Retention): Promise<number> {
    this.#reclaims += 1
    try {
      return await reclaim(this.#operations, this.#parts.reclaimSteps, retention)
    } finally {
      this.#reclaims -= 1
    }
  }

  writeState(): WriteState {
    return this.#writes.state()
  }

  async readStatus(): Promise<StoreStatus> {
    const { size, cache } = this.#parts
    const status = await this.#operations.read((session) => readDatabaseStatus(session, size))
    return { ...status, isReclaiming: this.#reclaims > 0, pageCache: cache.state() }
  }

  readOntologySummaries(): Promise<readonly OntologySummary[]> {
    return this.#operations.read(readSummaries)
  }

  readTypeStates(ontologyRid: string): Promise<readonly TypeState[]> {
    return this.#operations.read((session) => readTypeStates(session, ontologyRid))
  }

  saveOntology(
    { ontology, idempotencyKey, ...change }: SavedChange,
    context = INTERNAL_CONTEXT,
  ): Promise<SaveOutcome> {
    const { rewrittenAtOnceMax, definitionLimits } = this.#parts.options
    const saved = {
      ...change,
      definition: JSON.stringify(ontology.definition),
      rewrittenAtOnceMax: rewrittenAtOnceMax ?? REWRITTEN_AT_ONCE_MAX,
      limits: definitionLimits ?? DEFAULT_DEFINITION_LIMITS,
      callerId: context.callerId,
      idempotencyKey: toKeyMessage(idempotencyKey),
    }
    const turn = { key: CATALOGUE, context }
    const save = async () => {
      const outcome = await auditedDefinition(context, (auditEntry) =>
        this.#operations.build(saveOntology, { ...saved, auditEntry }, turn),
      )
      const isFinished = outcome === 'started' || change.isDryRun === true
      if (!isFinished)
        await this.#parts.finishChange?.({ ontologyRid: ontology.rid, id: change.id })
      return outcome
    }
    return this.#announced(undefined, save())
  }

  deleteOntology(deletion: OntologyDeletion, context = INTERNAL_CONTEXT): Promise<void> {
    const deleted = { ...deletion, idempotencyKey: toKeyMessage(deletion.idempotencyKey) }
    const turn = { key: CATALOGUE, context }
    return auditedDefinition(context, (auditEntry) =>
      this.#operations.build(deleteOntology, { ...deleted, auditEntry }, turn),
    )
  }

  listChanges(
    { objectType: { rid: typeRid }, ...request }: ListChangesRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<ListedChanges | Reclaimed> {
    return this.#operations.readSlowly(listChanges, { ...request, typeRid }, context)
  }

  splitKeys(
    { objectType: { rid: typeRid }, parts }: SplitKeysRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<SplitKeys> {
    const { canReadCurrentRows } = this.#parts
    return this.#operations.readSlowly(splitKeys, { typeRid, parts, canReadCurrentRows }, context)
  }

  async commit(batch: Batch, context = INTERNAL_CONTEXT): Promise<Commit> {
    const { replacement } = batch
    // Ignores errors, because the batch itself fails in the same way.
    const kept = replacement && this.#keepLoading(replacement).catch(() => {})
    const { writes } = this.#parts
    const written = audited(context, batch, (write) => writes.commit(write, context))
    const commit = await this.#announced(batch.objectType, written)
    await kept
    return commit
  }

  /** Keeps a replacement that is marked as idle while its next batch arrives, perhaps for minutes. */
  async #keepLoading(replacement: string): Promise<void> {
    const isIdle = await this.#operations.read((session) => isIdleReplacement(session, replacement))
    if (isIdle) await this.#operations.write(touchReplacement, replacement)
  }

  edit(edit: Edit, context = INTERNAL_CONTEXT): Promise<Commit> {
    const written = audited(context, edit, (write) => this.#parts.writes.edit(write, context))
    return this.#announced(edit.objectType, written)
  }

  deleteMatches(request: DeleteRequest, context = INTERNAL_CONTEXT): Promise<Commit> {
    const { writes } = this.#parts
    const written = audited(context, request, (write) => writes.deleteMatches(write, context))
    return this.#announced(request.objectType, written)
  }

  async applyTransactions(
    request: SourceTransactions,
    context = INTERNAL_CONTEXT,
  ): Promise<AppliedTransactions> {
    const { writes } = this.#parts
    const written = auditedTypes(context, request, (write) =>
      writes.applyTransactions(write, context),
    )
    const { position, applied } = await this.#writes.observe(written)
    const batches = request.transactions.flatMap((transaction) => transaction.batches)
    for (const rid of new Set(batches.map(({ objectType }) => objectType.rid))) {
      this.publications.announce(rid)
    }
    return { position, applied }
  }

  startReplacement(
    { rid: typeRid }: ObjectType,
    context = INTERNAL_CONTEXT,
    idempotencyKey?: IdempotencyKey,
  ): Promise<string> {
    const input = { typeRid, idempotencyKey: toKeyMessage(idempotencyKey) }
    return this.#operations.build(startReplacement, input, { key: typeRid, context })
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode: PublishMode = 'replace',
    context = INTERNAL_CONTEXT,
    onIndexed?: (indexes: number) => void,
  ): Promise<Commit> {
    const publication = { objectType, typeRid: objectType.rid, replacement, mode }
    const published = audited(context, publication, ({ objectType: { rid: key }, ...target }) => {
      const step = { key, context }
      let built = 0
      return this.#parts.publishInSteps(target, context.callerId, {
        buildIndexes: async (builtBeside = []) => {
          const input = { ...target, builtBeside }
          while (await this.#operations.build(indexReplacement, input, step)) {
            built += 1
            onIndexed?.(built)
          }
        },
        publish: () => this.#operations.build(publishReplacement, target, step),
      })
    })
    return this.#announced(objectType, published)
  }

  /** Tells those who wait for a new version of a type, or of any type, once it is written. */
  async #announced<Result>(
    type: Pick<ObjectType, 'rid'> | undefined,
    written: Promise<Result>,
  ): Promise<Result> {
    const result = await this.#writes.observe(written)
    this.publications.announce(type?.rid)
    return result
  }

  abandonReplacement({ rid: typeRid }: ObjectType, replacement: string): Promise<void> {
    const input = { typeRid, replacement }
    return this.#operations.build(abandonReplacement, input, { key: typeRid })
  }

  findEarlierCommit(key: IdempotencyKey): Promise<Commit | undefined> {
    const message = toKeyMessage(key)
    return this.#operations.read((session) => findEarlierCommit(session, message))
  }
}
