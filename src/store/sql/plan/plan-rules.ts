/**
 * The planning rules that both dialects share: which version a page reads, whether it is quick,
 * which count it includes, when few matches are sorted, and when records must be measured.
 */
import { bytesOfShape } from '../../../contract/object-record.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Query } from '../../../query/query.ts'
import type { ReadPageRequest } from '../../object-store.ts'
import { ALL_INDEXED, type FieldIndexes, type PrefixFields } from '../compile/field-numbers.ts'
import { isDecidedByPrefix } from '../compile/property-sql.ts'
import { isMultiValued } from '../compile/query-fields.ts'
import type { TableHead, TypeHead } from '../type-head.ts'

/** `current` rows have an index of their own; `version` selects the rows valid at a version. */
export type Visibility = 'current' | 'version'

/**
 * Where a page's total count comes from: `live` from the catalogue, `countVisible` from a count of
 * the visible rows that match, `subtractClosed` from a count of all rows that match minus those that
 * are not current, which an index alone can do.
 */
export type TotalCountPolicy = 'live' | 'countVisible' | 'subtractClosed' | 'omitted'

/** A version of a type, with the table that holds it. */
export interface VersionState<Table extends TableHead> {
  readonly version: number
  /** True if the rows of the version are the current ones. */
  readonly isLatest: boolean
  readonly table: Table
}

/** How rows are found: by a plan that is always best, or by one that depends on the matches. */
export type RowSearchPlan =
  /** The database walks an index in the order of the page, or chooses by itself. */
  { readonly kind: 'indexWalk' } | SortFewMatchesPlan

/** Sorts the matches if they are few; otherwise walks the key until the page is full. */
interface SortFewMatchesPlan {
  readonly kind: 'sortFewMatches'
  /** Up to this many matches are sorted. */
  readonly fewMatches: number
  /** Undefined: the matches are counted first, up to `fewMatches`. */
  readonly matchEstimate: number | undefined
}

/**
 * Returns the version to read, or undefined if it cannot be read: it was reclaimed, or the database
 * was restored from a backup that is older than the version.
 */
export function readableVersion(
  request: Pick<ReadPageRequest, 'version'>,
  head: Pick<TypeHead, 'oldest' | 'published'>,
): number | undefined {
  const { version = head.published } = request
  return version >= head.oldest && version <= head.published ? version : undefined
}

/** True for a walk over every object in key order, which must cost no more than its bytes. */
export function isKeyWalk({ query, order }: Pick<ReadPageRequest, 'query' | 'order'>): boolean {
  return query.kind === 'everything' && order.length === 0
}

/** True if the page depends on no definition, so that it can be read in the form of an earlier one. */
export function toleratesOldDefinition(
  request: Pick<ReadPageRequest, 'query' | 'order' | 'isOfDefinition'>,
): boolean {
  return isKeyWalk(request) && request.isOfDefinition !== true
}

/**
 * True if a page takes no longer than reading its rows, however large the type is: one index holds
 * exactly these rows in the order of the page. Any other page may scan many rows for each result.
 * The index of a property with long texts may hold many rows with the same prefix.
 */
export function isQuick(
  request: ReadPageRequest,
  { prefixFields, unindexedFields }: FieldIndexes = ALL_INDEXED,
): boolean {
  const { query, order, objectType, includeTotalCount } = request
  // The index of a property continues with the key; it does not order by a second property.
  if (order.length > 1) return false
  if (order.some(({ property: by }) => prefixFields.has(by) || unindexedFields.has(by)))
    return false
  // Not every struct field has an index.
  if (order.some(({ structField }) => structField !== undefined)) return false
  if (query.kind === 'everything') return true
  if (includeTotalCount || query.kind !== 'compare' || isMultiValued(objectType, query.field)) {
    return false
  }
  if (query.operator !== 'eq') return order[0]?.property === query.field.property
  if (unindexedFields.has(fieldKey(query.field))) return false
  return order.length === 0 && !isLongEquality(query, prefixFields)
}

/** True if an index has exactly the matches, so that it shows soon whether they are few. */
export function isIndexedComparison(
  { query, order, objectType }: Pick<ReadPageRequest, 'query' | 'order' | 'objectType'>,
  { prefixFields, unindexedFields }: FieldIndexes = ALL_INDEXED,
): boolean {
  // In another order, the database would walk an index until the page is full.
  if (order.length > 0 || query.kind !== 'compare') return false
  const { field } = query
  return (
    !isMultiValued(objectType, field) &&
    !prefixFields.has(field.property) &&
    !unindexedFields.has(fieldKey(field))
  )
}

/** True for an equality that an index alone cannot decide, because it holds prefixes of texts. */
export function isLongEquality(query: Query, prefixFields: PrefixFields): boolean {
  if (query.kind !== 'compare' || query.operator !== 'eq') return false
  const { field, value } = query
  return (
    field.structField === undefined &&
    prefixFields.has(field.property) &&
    typeof value === 'string' &&
    !isDecidedByPrefix(value)
  )
}

/** The number of current objects is in the catalogue, so only a query with conditions counts. */
export function totalCountPolicy(
  { query, includeTotalCount }: Pick<ReadPageRequest, 'query' | 'includeTotalCount'>,
  { canSubtractClosed }: { readonly canSubtractClosed: boolean },
): TotalCountPolicy {
  if (query.kind === 'everything') return 'live'
  if (!includeTotalCount) return 'omitted'
  return canSubtractClosed ? 'subtractClosed' : 'countVisible'
}

/**
 * Returns how many matches are few enough to sort. With m matches among n objects and pages of p,
 * sorting reads m rows, and walking the key reads about p × n / m.
 */
export function fewMatches(maxObjects: number, liveCount: number): number {
  return Math.ceil(Math.sqrt(maxObjects * liveCount))
}

/** True if the matches of a plan are known to be few enough to sort. */
export function hasFewMatches(
  plan: { readonly kind: string; readonly fewMatches?: number },
  matches: number | undefined,
): boolean {
  const { fewMatches: few } = plan
  return few !== undefined && matches !== undefined && matches <= few
}

/** The limit of a page's bytes, for a page whose records may not all fit. */
export interface ByteBudget {
  readonly maxBytes: number
  /** Bytes that the record shape adds to the stored text of each record. */
  readonly recordOverhead: number
}

/** Returns undefined if even records of the table's largest size fit, which need no measuring. */
export function byteBudget(
  { record, maxObjects, maxBytes }: Pick<ReadPageRequest, 'record' | 'maxObjects' | 'maxBytes'>,
  { maxRecordBytes }: Pick<TableHead, 'maxRecordBytes'>,
): ByteBudget | undefined {
  const recordOverhead = bytesOfShape(record.shape)
  const isEnough = (maxRecordBytes + recordOverhead) * maxObjects <= maxBytes
  return isEnough ? undefined : { maxBytes, recordOverhead }
}

interface FittingRecords {
  readonly count: number
  /** True if it is known that no record follows. */
  readonly isEnd: boolean
}

/** Counts the records that fit into the budget, and at least one, however large it is [2.1.3]. */
export function countFitting(
  budget: ByteBudget | undefined,
  candidates: number,
  sizes: () => Iterable<unknown>,
): FittingRecords {
  if (budget === undefined) return { count: candidates, isEnd: false }
  let count = 0
  let bytes = 0
  for (const row of sizes()) {
    bytes += Number((row as [number])[0]) + budget.recordOverhead
    if (bytes > budget.maxBytes) return { count: Math.max(count, 1), isEnd: false }
    count += 1
  }
  return { count, isEnd: count < candidates }
}
