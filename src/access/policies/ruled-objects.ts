/**
 * The objects as use cases get them: the rules of the caller are added to every query, writes to
 * types that the caller may not write are refused, and reads and writes are measured. It is a class
 * with every method of `Objects`, so that a new method cannot bypass the rules unnoticed.
 */

import type { RecordShape } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Query } from '../../query/query.ts'
import type {
  AggregateRequest,
  AggregateResult,
  Batch,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  IdempotencyKey,
  Objects,
  PublishMode,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  RecordSpec,
} from '../../store/object-store.ts'
import type { RequestContext, StoreWork } from '../../store/port/request-context.ts'
import { isPartlyHidden, requireWritable, restrictionOf } from './restricted-type.ts'
import { ruleQuery } from './rule-query.ts'

export class RuledObjects implements Objects {
  readonly #objects: Objects
  readonly encoding: Objects['encoding']

  constructor(objects: Objects) {
    this.#objects = objects
    this.encoding = objects.encoding
  }

  readPage(request: ReadPageRequest, context?: RequestContext) {
    return measured(context, 'read', () => this.#objects.readPage(visiblePart(request), context))
  }

  readSetPage(request: ReadSetPageRequest, context?: RequestContext) {
    const visible = { ...request, parts: request.parts.map(visiblePart) }
    return measured(context, 'read', () => this.#objects.readSetPage(visible, context))
  }

  async aggregate(
    request: AggregateRequest,
    context?: RequestContext,
  ): Promise<AggregateResult | Reclaimed> {
    const partial = request.sources.filter(({ objectType }) => isPartlyHidden(objectType))
    if (partial.some(({ version }) => version !== undefined)) return 'reclaimed'
    const sources = request.sources.map((source) => ({ ...source, ...visibleObjects(source) }))
    const aggregated = await measured(context, 'aggregate', () =>
      this.#objects.aggregate({ ...request, sources }, context),
    )
    if (aggregated === 'reclaimed' || partial.length === 0) return aggregated
    // Versions also change with what is hidden, so the caller gets none, and none can be named.
    return { ...aggregated, versions: [] }
  }

  commit(batch: Batch, context?: RequestContext) {
    requireWritable(batch.objectType)
    return measured(context, 'commit', () => this.#objects.commit(batch, context))
  }

  edit(edit: Edit, context?: RequestContext) {
    requireWritable(edit.objectType)
    return measured(context, 'commit', () => this.#objects.edit(edit, context))
  }

  deleteMatches(request: DeleteRequest, context?: RequestContext) {
    requireWritable(request.objectType)
    return measured(context, 'commit', () => this.#objects.deleteMatches(request, context))
  }

  startReplacement(
    objectType: ObjectType,
    context?: RequestContext,
    idempotencyKey?: IdempotencyKey,
  ) {
    requireWritable(objectType)
    return this.#objects.startReplacement(objectType, context, idempotencyKey)
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode?: PublishMode,
    context?: RequestContext,
    onIndexed?: (indexes: number) => void,
  ) {
    requireWritable(objectType)
    return this.#objects.publishReplacement(objectType, replacement, mode, context, onIndexed)
  }

  abandonReplacement(objectType: ObjectType, replacement: string) {
    requireWritable(objectType)
    return this.#objects.abandonReplacement(objectType, replacement)
  }

  /**
   * Works on RIDs alone; `read-object-set.ts` checks which listed objects of a restricted type are
   * visible.
   */
  findTypes(request: FindTypesRequest, context?: RequestContext) {
    return this.#objects.findTypes(request, context)
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
