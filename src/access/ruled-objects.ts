/**
 * What a caller that is limited by policies may see and do. An object type that it sees only a part of
 * carries a restriction. The restriction becomes part of every query, so that no store knows about
 * policies: at every hop of a link, the rule of the linked type applies.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import type { RecordShape } from '../contract/object-record.ts'
import type { ObjectType, Restriction } from '../ontology/ontology.ts'
import { fieldsOf } from '../ontology/values/searchable-values.ts'
import { NOTHING } from '../query/combine-queries.ts'
import { EVERYTHING, type Query } from '../query/query.ts'
import { replaceConditions } from '../query/query-tree.ts'
import { isText, resolveField } from '../query/resolve-field.ts'
import type {
  AggregateRequest,
  AggregateResult,
  Batch,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  IdempotencyKey,
  ListChangesRequest,
  Objects,
  PublishMode,
  ReadPageRequest,
  ReadRecordsRequest,
  ReadSetPageRequest,
  Reclaimed,
  RecordSpec,
  SourceTransactions,
  SplitKeysRequest,
} from '../store/object-store.ts'
import { measured, type RequestContext } from '../store/port/request-context.ts'

/** What policies leave of an object type, and the rule that selects its visible objects. */
export interface TypeRule extends Pick<Restriction, 'of' | 'shown'> {
  /** Can name hidden properties. */
  readonly rows: Query
}

/** A restriction that knows its rule. */
class RuledAccess implements Restriction, TypeRule {
  readonly of: ObjectType
  readonly rows: Query
  readonly shown: readonly string[] | undefined

  constructor({ of, rows, shown }: TypeRule) {
    this.of = of
    this.rows = rows
    this.shown = shown
  }

  get hidesObjects(): boolean {
    return this.rows !== EVERYTHING
  }
}

/** Types of which a caller may read everything, and write nothing: views share them. */
export class ReadOnlyTypes {
  readonly #types = new WeakMap<ObjectType, ObjectType>()

  of(of: ObjectType): ObjectType {
    const known = this.#types.get(of)
    if (known !== undefined) return known
    const restricted = restrictType(of, { of, rows: EVERYTHING, shown: undefined })
    this.#types.set(of, restricted)
    return restricted
  }
}

/** Returns an object type without what its rule hides. */
export function restrictType(visible: ObjectType, rule: TypeRule): ObjectType {
  return { ...visible, definedIn: rule.of.definedIn, access: new RuledAccess(rule) }
}

/** Returns the rule of a type; undefined if the caller may see and write all its objects. */
export function ruleOf({ apiName, access }: ObjectType): TypeRule | undefined {
  if (access === 'all') return undefined
  if (access instanceof RuledAccess) return access
  throw new Error(`the restriction of ${apiName} has no rule`)
}

/** Returns the type itself, as stores know it. */
export function storedType(objectType: ObjectType): ObjectType {
  return objectType.access === 'all' ? objectType : objectType.access.of
}

/** Returns the visible properties of a type; undefined for all. */
export function shownProperties({ access }: ObjectType): readonly string[] | undefined {
  return access === 'all' ? undefined : access.shown
}

/**
 * True if the caller sees only some objects or properties of a type. Its version would then reveal
 * too much, because it also changes with hidden objects; see `ShownVersion`.
 */
export function isPartlyHidden({ access }: ObjectType): boolean {
  return access !== 'all' && (access.hidesObjects || access.shown !== undefined)
}

/**
 * A version that the caller of a request may know. Versions also change with what is hidden, so a
 * caller that sees only a part of a type gets none, and can name none. Responses take no plain number
 * as a version, so that a use case cannot forget to ask.
 */
export class ShownVersion {
  readonly #version: number

  private constructor(version: number) {
    this.#version = version
  }

  /** Returns a version that was read; undefined if a part of one of the types is hidden. */
  static read(types: readonly ObjectType[], version: number): ShownVersion | undefined {
    return types.some(isPartlyHidden) ? undefined : new ShownVersion(version)
  }

  /** Returns the version that the caller names, if any. Throws `VersionNotFound` if it cannot know it. */
  static named(
    objectType: ObjectType,
    version: number | null | undefined,
  ): ShownVersion | undefined {
    if (version == null) return undefined
    if (isPartlyHidden(objectType)) throw new ObjectQueryError('VersionNotFound', { version })
    return new ShownVersion(version)
  }

  get number(): number {
    return this.#version
  }
}

/** Throws `ApiUsageDenied` if the caller may only read the objects of a type. */
export function requireWritable({ apiName, access }: ObjectType): void {
  if (access === 'all') return
  const reason = 'the policies of the token allow reading only'
  throw new ObjectQueryError('ApiUsageDenied', { objectType: apiName, reason })
}

/**
 * The objects as use cases get them: the rules of the caller are added to every query, writes to
 * types that the caller may not write are refused, and reads and writes are measured. It is a class
 * with every method of `Objects`, so that a new method cannot bypass the rules unnoticed.
 */
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

  /** The keys are those of objects that a page of the caller had found: only properties are hidden. */
  readRecords(request: ReadRecordsRequest, context?: RequestContext) {
    const { objectType, record } = request
    const visible = {
      ...request,
      objectType: storedType(objectType),
      record: visibleRecord(record, objectType),
    }
    return measured(context, 'read', () => this.#objects.readRecords(visible, context))
  }

  readSetPage(request: ReadSetPageRequest, context?: RequestContext) {
    const visible = { ...request, parts: request.parts.map(visiblePart) }
    return measured(context, 'read', () => this.#objects.readSetPage(visible, context))
  }

  /** Lists hidden objects too: `read-changes.ts` asks which of them the caller may see. */
  listChanges(request: ListChangesRequest, context?: RequestContext) {
    const objectType = storedType(request.objectType)
    return measured(context, 'read', () =>
      this.#objects.listChanges({ ...request, objectType }, context),
    )
  }

  /** Only for types of which the caller sees all objects: hidden ones would show in the parts. */
  splitKeys(request: SplitKeysRequest, context?: RequestContext) {
    const { objectType, query } = visibleObjects({ ...request, query: EVERYTHING })
    if (query.kind !== 'everything') throw new Error('the objects have a rule: walk over them')
    return measured(context, 'read', () =>
      this.#objects.splitKeys({ ...request, objectType }, context),
    )
  }

  aggregate(
    request: AggregateRequest,
    context?: RequestContext,
  ): Promise<AggregateResult | Reclaimed> {
    const sources = request.sources.map((source) => ({ ...source, ...visibleObjects(source) }))
    return measured(context, 'aggregate', () =>
      this.#objects.aggregate({ ...request, sources }, context),
    )
  }

  commit(batch: Batch, context?: RequestContext) {
    requireWritable(batch.objectType)
    return measured(context, 'commit', () => this.#objects.commit(batch, context))
  }

  edit(edit: Edit, context?: RequestContext) {
    requireWritable(edit.objectType)
    return measured(context, 'commit', () => this.#objects.edit(edit, context))
  }

  applyTransactions(request: SourceTransactions, context?: RequestContext) {
    const batches = request.transactions.flatMap((transaction) => transaction.batches)
    for (const { objectType } of batches) requireWritable(objectType)
    return measured(context, 'commit', () => this.#objects.applyTransactions(request, context))
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
    return measured(context, 'commit', () =>
      this.#objects.startReplacement(objectType, context, idempotencyKey),
    )
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode?: PublishMode,
    context?: RequestContext,
    onIndexed?: (indexes: number) => void,
  ) {
    requireWritable(objectType)
    return measured(context, 'commit', () =>
      this.#objects.publishReplacement(objectType, replacement, mode, context, onIndexed),
    )
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

interface ObjectsOfType {
  readonly objectType: ObjectType
  readonly query: Query
}

/** Returns the type itself, and the query for those of its objects that the caller may see. */
function visibleObjects({ objectType, query }: ObjectsOfType): ObjectsOfType {
  return {
    objectType: storedType(objectType),
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
  const shown = shownProperties(objectType)
  if (shown === undefined) return record
  if (record.selection === undefined && record.shape.some((part) => 'isChecked' in part)) {
    throw new Error('a checked record without a selection shows hidden properties')
  }
  const { titleProperty } = storedType(objectType)
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

/** Returns the objects that match a query and that the caller may see, as a query of the type itself. */
export function ruleQuery(query: Query, objectType: ObjectType): Query {
  const rows = ruleOf(objectType)?.rows ?? EVERYTHING
  const visible = withinView(query, objectType)
  if (rows === EVERYTHING) return visible
  if (visible.kind === 'everything') return rows
  const conditions = [rows, visible].flatMap((one) => (one.kind === 'and' ? one.of : [one]))
  return { kind: 'and', of: conditions }
}

/** Returns a query without restricted types. Returns the same query if it needs no change. */
function withinView(query: Query, objectType: ObjectType): Query {
  return replaceConditions(query, (condition) => {
    switch (condition.kind) {
      case 'linked': {
        const { linkedType } = condition
        const of = ruleQuery(condition.of, linkedType)
        const own = storedType(linkedType)
        const isSame = of === condition.of && own === linkedType
        return isSame ? condition : { ...condition, linkedType: own, of }
      }
      case 'text':
        return condition.field === undefined && shownProperties(objectType) !== undefined
          ? searchShown(condition, objectType)
          : condition
      default:
        return condition
    }
  })
}

/** A search in every text becomes one in every visible text. */
function searchShown(query: Query & { kind: 'text' }, objectType: ObjectType): Query {
  const fields = fieldsOf(objectType.properties.values()).filter(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    return resolved !== undefined && isText(resolved)
  })
  return fields.length === 0 ? NOTHING : { ...query, fields }
}
