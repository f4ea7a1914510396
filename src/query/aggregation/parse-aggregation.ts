/**
 * Parses the aggregation of a request. Each version of the API has a table of its metrics and
 * groupings; a type that is not in the table, or a member that its type does not have, is refused.
 * Null means absent.
 */

import { type TProperties, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_GROUPINGS, AGGREGATE_MAX_METRICS } from '../../contract/limits.ts'
import { documentedAs, optional } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { QueryBudget, type QueryLimits } from '../parse/query-budget.ts'
import type { UnionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { type FindProperty, propertyFinder, refuseOtherMembers } from './aggregated-property.ts'
import type { Aggregation, Metric } from './aggregation.ts'
import { type GroupingGrammar, readGroupings, type WrittenGrouping } from './groupings.ts'
import type { MetricParser, WrittenMetric } from './metrics.ts'

/** An aggregation that matches the schema of the endpoint. */
export interface WrittenAggregation {
  readonly aggregation: readonly WrittenMetric[]
  readonly groupBy?: readonly WrittenGrouping[] | null
}

/** The aggregations of one version of the API. */
export interface AggregationGrammar extends GroupingGrammar {
  /** The components of `openapi.json` that describe metrics and groupings. */
  readonly components: { readonly metric: string; readonly grouping: string }
  readonly metrics: ReadonlyMap<string, MetricParser>
}

export interface AggregationContext {
  readonly objectType: ObjectType
  readonly limits: QueryLimits
}

/**
 * Returns the members of a request body that has an aggregation. The parser checks which members of
 * metrics and groupings go together.
 */
export function aggregationMembers(grammar: AggregationGrammar) {
  const { components, metrics, groupings, properties } = grammar
  const written = <Value>(
    component: string,
    types: ReadonlyMap<string, UnionType>,
    shared: TProperties = {},
  ) => {
    const members = Object.assign({ ...shared }, ...[...types.values()].map(({ schema }) => schema))
    const optionals = Object.entries(members as TProperties).map(([name, member]) => [
      name,
      optional(member),
    ])
    const schema = { type: Type.String(), ...Object.fromEntries(optionals) }
    return Type.Unsafe<Value>(Type.Object(schema, documentedAs(component)))
  }
  const metric = written<WrittenMetric>(components.metric, metrics)
  const grouping = written<WrittenGrouping>(components.grouping, groupings, properties.schema)
  return {
    aggregation: Type.Array(metric, { minItems: 1, maxItems: AGGREGATE_MAX_METRICS }),
    groupBy: optional(
      Type.Array(grouping, {
        maxItems: AGGREGATE_MAX_GROUPINGS,
        description: 'The outermost grouping first, each by a different property.',
      }),
    ),
  }
}

/** Parses an aggregation, or throws the error that the client gets. */
export function parseAggregation(
  grammar: AggregationGrammar,
  { aggregation, groupBy }: WrittenAggregation,
  { objectType, limits }: AggregationContext,
): Aggregation {
  const budget = new QueryBudget(limits)
  const findProperty = propertyFinder(objectType, budget, grammar.properties)
  if (aggregation.length === 0)
    throw unprocessable('aggregation', 'is empty; at least one metric is required')
  budget.spendTerms(aggregation.length)
  const metrics = aggregation.map((written, index) =>
    readMetric(written, `aggregation[${index}]`, findProperty, grammar.metrics),
  )
  refuseRepeatedNames(metrics)
  const context = { objectType, budget, findProperty, grammar }
  const parsed = { metrics, groupings: readGroupings(groupBy ?? [], context) }
  refuseInvalidOrder(parsed)
  return parsed
}

function readMetric(
  written: WrittenMetric,
  path: string,
  findProperty: FindProperty,
  parsers: ReadonlyMap<string, MetricParser>,
): Metric {
  const parser = parsers.get(written.type)
  if (parser === undefined) {
    throw new ObjectQueryError('AggregationMetricNotSupported', { metricType: written.type })
  }
  refuseOtherMembers(written, parser, parsers, path, 'metric')
  return parser.parse({ written, path, findProperty })
}

/** Clients look up metrics by name, so names must be unique. */
function refuseRepeatedNames(metrics: readonly Metric[]): void {
  const names = metrics.map(({ name }) => name)
  const repeated = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (repeated !== -1) {
    throw unprocessable(
      `aggregation[${repeated}].name`,
      `${names[repeated]} is the name of another metric`,
    )
  }
}

/** Metrics can order the groups of exactly one grouping, which must not have a group of null. */
function refuseInvalidOrder({ metrics, groupings }: Aggregation): void {
  const ordered = metrics.findIndex(({ direction }) => direction !== undefined)
  if (ordered === -1) return
  const parameter = `aggregation[${ordered}].direction`
  if (groupings.length !== 1) {
    throw new ObjectQueryError('InvalidAggregationOrdering', {
      parameter,
      groupings: groupings.length,
    })
  }
  if (groupings.some((grouping) => grouping.kind === 'exact' && grouping.absent === 'null')) {
    throw new ObjectQueryError('InvalidAggregationOrderingWithNullValues', {
      parameter,
      property: groupings[0]?.property,
    })
  }
}
