/** Answers questions from segments. Runs in a compute thread. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { LinkedQuery, Query } from '../../../query/query.ts'
import { linkedTypesOf } from '../../../query/query-tree.ts'
import { type AggregateRequest, type AggregateResult, typesOfSet } from '../../port/pages.ts'
import { patternTest } from '../../sql/compile/pattern-test.ts'
import { Aggregator, type FilteredSegment } from '../aggregate/aggregator.ts'
import { distinctValues } from '../aggregate/field-values.ts'
import { writeGroups } from '../aggregate/write-groups.ts'
import type { Bits } from '../arrays/bits.ts'
import { compileFilter } from '../filter/compile-filter.ts'
import { cursorAt, findPage, findSetPage, setCursorAt } from '../page/find-page.ts'
import type { Segment } from '../segment/segment.ts'
import type { TableAt } from '../table/shared-segment.ts'
import type { Answers, FindPageRequest, FindSetPageRequest, Question } from './messages.ts'

/** A type at the version that a question is answered for. */
export interface OpenTable extends Pick<TableAt, 'version' | 'liveCount'> {
  readonly segments: readonly Segment[]
  readonly visible: readonly Bits[]
}

export interface OpenTables {
  /** By the RID of the type. */
  readonly tables: ReadonlyMap<string, OpenTable>
  /** Called often; throws if the question was cancelled. */
  readonly onChunk: () => void
}

type Answer = Answers[keyof Answers]

/** Returns undefined if columns cannot answer the question. */
export function answerQuestion(question: Question, open: OpenTables): Answer | undefined {
  switch (question.kind) {
    case 'page':
      return answerPage(question.request, open)
    case 'setPage':
      return answerSetPage(question.request, open)
    case 'aggregate':
      return answerAggregation(question.request, open)
  }
}

function answerPage(request: FindPageRequest, open: OpenTables): Answers['page'] | undefined {
  const { objectType, query, order, after, maxObjects, omitRecords, includeTotalCount } = request
  const filtered = filterSegments(objectType, query, open)
  if (filtered === undefined) return undefined
  const { version, liveCount, segments } = tableOf(objectType, open)
  const isFiltered = query.kind !== 'everything'
  const linkedVersions = linkedTypesOf(query, objectType).map((type) => tableOf(type, open).version)
  if (omitRecords !== undefined && after === undefined) {
    const omitted = countMatches(filtered, open)
    if (omitRecords === 'always' || omitted > maxObjects) {
      const totalCount = includeTotalCount ? omitted : undefined
      return { keys: [], omitted, totalCount, version, linkedVersions }
    }
  }
  const cursor = after && cursorAt(segments, order, { key: after.pk, validFrom: after.version })
  if (after !== undefined && cursor === undefined) return undefined
  const found = findPage(filtered, {
    order,
    cursor,
    limit: maxObjects + 1,
    needsCount: includeTotalCount && isFiltered,
    onChunk: open.onChunk,
  })
  if (found === undefined) return undefined
  const totalCount = isFiltered ? found.totalCount : liveCount
  return { keys: found.keys, totalCount, version, linkedVersions }
}

function countMatches(filtered: readonly FilteredSegment[], { onChunk }: OpenTables): number {
  const search = { order: [], cursor: undefined, limit: 0, needsCount: true, onChunk }
  return findPage(filtered, search)?.totalCount ?? 0
}

function answerSetPage(
  { parts, order, after, maxObjects, includeTotalCount }: FindSetPageRequest,
  open: OpenTables,
): Answers['setPage'] | undefined {
  const filtered: (readonly FilteredSegment[])[] = []
  for (const { objectType, query } of parts) {
    const found = filterSegments(objectType, query, open)
    if (found === undefined) return undefined
    filtered.push(found)
  }
  const segments = parts.map(({ objectType }) => tableOf(objectType, open).segments)
  const last = after && { part: after.part, key: after.pk, validFrom: after.version }
  const cursor = last && setCursorAt(segments, order, last)
  if (last !== undefined && cursor === undefined) return undefined
  const found = findSetPage(filtered, {
    order,
    cursor,
    limit: maxObjects + 1,
    needsCount: includeTotalCount,
    // As on a page of one type, the count without conditions is that of the current objects.
    knownCounts: parts.map(({ objectType, query }) =>
      query.kind === 'everything' ? tableOf(objectType, open).liveCount : undefined,
    ),
    onChunk: open.onChunk,
  })
  const versions = typesOfSet(parts).map((type) => tableOf(type, open).version)
  return found && { ...found, versions }
}

function answerAggregation(
  { sources, aggregation, maxGroups }: AggregateRequest,
  open: OpenTables,
): AggregateResult | undefined {
  const aggregator = new Aggregator(aggregation)
  for (const { objectType, query, names } of sources) {
    const filtered = filterSegments(objectType, query, open)
    if (filtered === undefined) return undefined
    for (const one of filtered) {
      if (!aggregator.add({ ...one, names }, open.onChunk)) return undefined
    }
  }
  const versions = sources.map(({ objectType }) => tableOf(objectType, open).version)
  return { ...writeGroups(aggregator.finish(), aggregation, maxGroups), versions }
}

function tableOf({ rid }: ObjectType, { tables }: OpenTables): OpenTable {
  const table = tables.get(rid)
  if (table === undefined) throw new Error(`no columns of ${rid} were opened`)
  return table
}

function filterSegments(
  objectType: ObjectType,
  query: Query,
  open: OpenTables,
): readonly FilteredSegment[] | undefined {
  const { segments, visible } = tableOf(objectType, open)
  const filters = compileFilter(query, {
    objectType,
    segments,
    patternTest: ({ pattern }) => patternTest(pattern),
    linkedValues: (linked) => linkedValues(linked, open),
  })
  return filters?.map((filter, at) => ({
    segment: segments[at] as Segment,
    visible: visible[at] as Bits,
    filter,
  }))
}

function linkedValues(
  { linkedType, linkedProperty, of }: LinkedQuery,
  open: OpenTables,
): readonly ColumnValue[] | undefined {
  const filtered = filterSegments(linkedType, of, open)
  const field = { property: linkedProperty, structField: undefined }
  return filtered && distinctValues(filtered, field, open.onChunk)
}

/** A type that a question reads, and the version that the question names, if any. */
export interface ReadType {
  readonly objectType: ObjectType
  readonly version?: number | undefined
}

/** Returns the types that a question reads, by RID. */
export function typesOf(question: Question): ReadonlyMap<string, ReadType> {
  return new Map(listTypes(question).map((type) => [type.objectType.rid, type]))
}

function listTypes(question: Question): readonly ReadType[] {
  switch (question.kind) {
    case 'page': {
      const { objectType, query, version, linkedVersions } = question.request
      const linked = linkedTypesOf(query, objectType).map((type, at) => ({
        objectType: type,
        version: linkedVersions?.[at],
      }))
      return [{ objectType, version }, ...linked]
    }
    case 'setPage': {
      const { parts, versions } = question.request
      return typesOfSet(parts).map((objectType, at) => ({ objectType, version: versions?.[at] }))
    }
    case 'aggregate': {
      const { sources } = question.request
      const linked = sources.flatMap(({ objectType, query }) => linkedTypesOf(query, objectType))
      // A source comes last, because it may name a version.
      return [...linked.map((objectType) => ({ objectType })), ...sources]
    }
  }
}
