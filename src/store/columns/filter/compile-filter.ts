/** Compiles the query tree to filters of the segments of a type. */

import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { relationTest } from '../../../query/matching/match-geo.ts'
import { endOfPrefix, isPrefixPattern, literalPrefix } from '../../../query/matching/pattern.ts'
import type { Field, LinkedQuery, Query } from '../../../query/query.ts'
import { resolveField } from '../../../query/resolve-field.ts'
import { areaBoxes } from '../../sql/compile/query-fields.ts'
import type { Segment } from '../segment/segment.ts'
import { and, EVERYTHING, type Filter, not, or, testAmong } from './filter.ts'
import { intervalFilters } from './interval-filter.ts'
import { textFilters } from './text-filter.ts'
import { doublesIn, presenceFilter, type ValueCondition, valueFilter } from './value-filter.ts'

/** What a query can ask besides columns. */
export interface FilterSources {
  readonly objectType: ObjectType
  readonly segments: readonly Segment[]
  /** Returns a test of whole texts against a pattern. */
  readonly patternTest: (query: Query & { kind: 'pattern' }) => (text: string) => boolean
  /** Returns the values of `linkedProperty` of the linked objects; undefined if they are unknown. */
  readonly linkedValues: (query: LinkedQuery) => readonly ColumnValue[] | undefined
}

/** Returns a filter for each segment; undefined if columns do not answer the query. */
export function compileFilter(query: Query, sources: FilterSources): readonly Filter[] | undefined {
  switch (query.kind) {
    case 'everything':
      return sources.segments.map(() => EVERYTHING)
    case 'and':
    case 'or': {
      const parts = query.of.map((one) => compileFilter(one, sources))
      const combine = query.kind === 'and' ? and : or
      return forEach(sources, (_, at) => {
        const filters = parts.map((part) => part?.[at])
        return filters.every((filter) => filter !== undefined) ? combine(filters) : undefined
      })
    }
    case 'not':
      return compileFilter(query.of, sources)?.map(not)
    case 'compare': {
      const { operator } = query
      const value = toColumnValue(query.value)
      return onValues(query.field, sources, { kind: 'compare', operator, value })
    }
    case 'oneOf':
      return onValues(query.field, sources, {
        kind: 'oneOf',
        values: query.values.map(toColumnValue),
      })
    case 'isNull':
      return isNullFilters(query, sources)
    case 'pattern': {
      const prefix = literalPrefix(query.pattern)
      const isPrefix = isPrefixPattern(query.pattern)
      const test = isPrefix ? () => true : sources.patternTest(query)
      const before = endOfPrefix(prefix)
      return onValues(query.field, sources, { kind: 'test', from: prefix, before, test })
    }
    case 'text':
      return textFilters(sources.segments, sources.objectType, query)
    case 'geo':
      return geoFilters(query, sources)
    case 'linked': {
      const values = sources.linkedValues(query)
      const field = { property: query.property, structField: undefined }
      if (values === undefined) return undefined
      return onValues(field, sources, { kind: 'oneOf', values })
    }
    case 'interval': {
      const { property, structField } = query.field
      const resolved = resolveField(sources.objectType, property, structField)
      return intervalFilters(sources.segments, query, resolved?.isMultiValued === true)
    }
    case 'objectIds':
      return undefined
    case 'relativeDates':
      throw new Error('relative dates must be resolved before the query reaches a store')
  }
}

/** Returns a filter for each segment, if all of them have one. */
function forEach(
  { segments }: FilterSources,
  filterOf: (segment: Segment, at: number) => Filter | undefined,
): readonly Filter[] | undefined {
  const filters = segments.map(filterOf)
  return filters.every((filter) => filter !== undefined) ? filters : undefined
}

function onValues(
  field: Field,
  sources: FilterSources,
  condition: ValueCondition,
): readonly Filter[] | undefined {
  return forEach(sources, (segment) => {
    const column = segment.column(field)
    return column && valueFilter(column, condition)
  })
}

function isNullFilters(
  { property, structField }: Query & { kind: 'isNull' },
  sources: FilterSources,
): readonly Filter[] | undefined {
  return forEach(sources, (segment) => {
    const column = segment.column({ property, structField })
    // An empty array inside of a struct is a value, but has none.
    const isKnown = column !== undefined && (structField === undefined || column.kind !== 'list')
    return isKnown ? not(presenceFilter(column)) : undefined
  })
}

/** Shapes are not in columns. */
function geoFilters(
  { field, relation, area }: Query & { kind: 'geo' },
  sources: FilterSources,
): readonly Filter[] | undefined {
  const isMatch = relationTest(relation, area)
  const boxes = areaBoxes(area)
  const isDisjoint = relation === 'disjoint'
  return forEach(sources, (segment) => {
    const column = segment.column(field)
    if (column?.kind !== 'points') return undefined
    const { longitudes, latitudes } = column
    const near = boxes.map(([west, south, east, north]) =>
      and([doublesIn(longitudes, [west, east]), doublesIn(latitudes, [south, north])]),
    )
    const found = testAmong(or(near), (position) =>
      isMatch({
        type: 'Point',
        coordinates: [longitudes[position] as number, latitudes[position] as number],
      }),
    )
    return and([presenceFilter(column), isDisjoint ? not(found) : found])
  })
}
