/**
 * The store as use cases get it: it adds the rules of the caller to every query, refuses writes to
 * types that the caller may not write, and measures reads and writes. It is a class with every method
 * of the port, so that a new method cannot bypass the rules unnoticed.
 */

import type { RecordShape } from '../../contract/object-record.ts'
import type { OntologyName } from '../../ontology/catalogue.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Query } from '../../query/query.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ApiToken,
  Batch,
  CatalogueOptions,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  IdempotencyKey,
  IdempotencyNote,
  ObjectStore,
  OntologyDeletion,
  PublishMode,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  RecordSpec,
  Retention,
} from '../../store/object-store.ts'
import type { RequestContext, StoreWork } from '../../store/port/request-context.ts'
import { requireWritable } from './require-writable.ts'
import { isPartlyHidden, restrictionOf } from './restricted-type.ts'
import { ruleQuery } from './rule-query.ts'

type SaveOntology = ObjectStore['saveOntology']

export class RuledStore implements ObjectStore {
  readonly #store: ObjectStore
  readonly encoding: ObjectStore['encoding']
  readonly documents: ObjectStore['documents']
  /** Names keys of all objects; its endpoint refuses limited callers. */
  readonly audit: ObjectStore['audit']
  /** Shows values of all objects; its endpoints require the right to administer. */
  readonly definitionChanges: ObjectStore['definitionChanges']
  readonly cachedApiToken?: NonNullable<ObjectStore['cachedApiToken']>

  constructor(store: ObjectStore) {
    this.#store = store
    this.encoding = store.encoding
    this.documents = store.documents
    this.audit = store.audit
    this.definitionChanges = store.definitionChanges
    if (store.cachedApiToken !== undefined) {
      this.cachedApiToken = (secretHash) => store.cachedApiToken?.(secretHash)
    }
  }

  readPage(request: ReadPageRequest, context?: RequestContext) {
    return measured(context, 'read', () => this.#store.readPage(visiblePart(request), context))
  }

  readSetPage(request: ReadSetPageRequest, context?: RequestContext) {
    const visible = { ...request, parts: request.parts.map(visiblePart) }
    return measured(context, 'read', () => this.#store.readSetPage(visible, context))
  }

  async aggregate(
    request: AggregateRequest,
    context?: RequestContext,
  ): Promise<AggregateResult | Reclaimed> {
    const partial = request.sources.filter(({ objectType }) => isPartlyHidden(objectType))
    if (partial.some(({ version }) => version !== undefined)) return 'reclaimed'
    const sources = request.sources.map((source) => ({ ...source, ...visibleObjects(source) }))
    const aggregated = await measured(context, 'aggregate', () =>
      this.#store.aggregate({ ...request, sources }, context),
    )
    if (aggregated === 'reclaimed' || partial.length === 0) return aggregated
    // Versions also change with what is hidden, so the caller gets none, and none can be named.
    return { ...aggregated, versions: [] }
  }

  commit(batch: Batch, context?: RequestContext) {
    requireWritable(batch.objectType)
    return measured(context, 'commit', () => this.#store.commit(batch, context))
  }

  edit(edit: Edit, context?: RequestContext) {
    requireWritable(edit.objectType)
    return measured(context, 'commit', () => this.#store.edit(edit, context))
  }

  deleteMatches(request: DeleteRequest, context?: RequestContext) {
    requireWritable(request.objectType)
    return measured(context, 'commit', () => this.#store.deleteMatches(request, context))
  }

  findEarlierCommit(idempotencyKey: IdempotencyKey) {
    return this.#store.findEarlierCommit(idempotencyKey)
  }

  startReplacement(
    objectType: ObjectType,
    context?: RequestContext,
    idempotencyKey?: IdempotencyKey,
  ) {
    requireWritable(objectType)
    return this.#store.startReplacement(objectType, context, idempotencyKey)
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode?: PublishMode,
    context?: RequestContext,
    onIndexed?: (indexes: number) => void,
  ) {
    requireWritable(objectType)
    return this.#store.publishReplacement(objectType, replacement, mode, context, onIndexed)
  }

  abandonReplacement(objectType: ObjectType, replacement: string) {
    requireWritable(objectType)
    return this.#store.abandonReplacement(objectType, replacement)
  }

  /**
   * Works on RIDs alone; `read-object-set.ts` checks which listed objects of a restricted type are
   * visible.
   */
  findTypes(request: FindTypesRequest, context?: RequestContext) {
    return this.#store.findTypes(request, context)
  }

  check() {
    return this.#store.check()
  }

  cachedCatalogue(name: OntologyName) {
    return this.#store.cachedCatalogue(name)
  }

  readCatalogue(options?: CatalogueOptions) {
    return this.#store.readCatalogue(options)
  }

  readOntologySummaries() {
    return this.#store.readOntologySummaries()
  }

  saveOntology(change: Parameters<SaveOntology>[0], context?: RequestContext) {
    return this.#store.saveOntology(change, context)
  }

  deleteOntology(deletion: OntologyDeletion, context?: RequestContext) {
    return this.#store.deleteOntology(deletion, context)
  }

  readTypeStates(ontologyRid: string) {
    return this.#store.readTypeStates(ontologyRid)
  }

  readStatus() {
    return this.#store.readStatus()
  }

  reclaim(retention: Retention) {
    return this.#store.reclaim(retention)
  }

  verify(signal: AbortSignal) {
    return this.#store.verify(signal)
  }

  rewriteNext() {
    return this.#store.rewriteNext()
  }

  drain(reason: string, graceMs: number) {
    this.#store.drain(reason, graceMs)
  }

  readPageTokenKeys() {
    return this.#store.readPageTokenKeys()
  }

  createApiToken(token: ApiToken, secretHash: string, idempotencyKey?: IdempotencyNote) {
    return this.#store.createApiToken(token, secretHash, idempotencyKey)
  }

  findApiToken(secretHash: string) {
    return this.#store.findApiToken(secretHash)
  }

  findApiTokenById(id: string) {
    return this.#store.findApiTokenById(id)
  }

  listApiTokens() {
    return this.#store.listApiTokens()
  }

  revokeApiTokens(ids: readonly string[], nowMs: number) {
    return this.#store.revokeApiTokens(ids, nowMs)
  }

  deleteApiTokens(ids: readonly string[]) {
    return this.#store.deleteApiTokens(ids)
  }

  revokeIssuedTokens(clientOrGrantId: string, nowMs: number) {
    return this.#store.revokeIssuedTokens(clientOrGrantId, nowMs)
  }

  [Symbol.asyncDispose]() {
    return this.#store[Symbol.asyncDispose]()
  }
}

function measured<T>(
  context: RequestContext | undefined,
  work: StoreWork,
  run: () => Promise<T>,
): Promise<T> {
  return context?.measure === undefined ? run() : context.measure(work, run)
}

interface ObjectsOfType {
  readonly objectType: ObjectType
  readonly query: Query
}

/** Returns the type itself, and the query for those of its objects that the caller may see. */
function visibleObjects({ objectType, query }: ObjectsOfType): ObjectsOfType {
  return {
    objectType: restrictionOf(objectType)?.of ?? objectType,
    query: ruleQuery(query, objectType),
  }
}

/** Limits a request, or a part of one, to what the caller may see. */
function visiblePart<Part extends ObjectsOfType & { readonly record: RecordSpec }>(
  part: Part,
): Part {
  const { objectType, query } = visibleObjects(part)
  return { ...part, objectType, query, record: visibleRecord(part.record, part.objectType) }
}

/** Selects the visible properties. The title of an object is a property, too. */
function visibleRecord(record: RecordSpec, objectType: ObjectType): RecordSpec {
  const { of, shown } = restrictionOf(objectType) ?? {}
  if (of === undefined || shown === undefined) return record
  if (record.selection === undefined && record.shape.some((part) => 'isChecked' in part)) {
    throw new Error('a checked record without a selection shows hidden properties')
  }
  const { titleProperty } = of
  const hidesTitle = titleProperty !== undefined && !shown.includes(titleProperty)
  return {
    ...record,
    shape: hidesTitle ? withoutTitle(record.shape) : record.shape,
    selection: record.selection ?? shown,
  }
}

function withoutTitle(shape: RecordShape): RecordShape {
  return shape.filter((part) => !('optionalColumn' in part && part.optionalColumn === 'title'))
}
