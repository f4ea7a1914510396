/** Parses the aggregation of a request in revision 1.0. Null means absent. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isComparable } from '../../ontology/values/scalar-codec.ts'
import { QueryBudget, type QueryLimits } from '../parse/query-budget.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import {
  type FindProperty,
  invalidPropertyType,
  propertyFinder,
  refuseOtherMembers,
} from './aggregated-property.ts'
import { type Aggregation, isNumericType, isTimeType, type Metric } from './aggregation.ts'
import { readGroupings, type WrittenGrouping } from './parse-grouping.ts'

/** An aggregation that matches the schema of the endpoint. */
export interface WrittenAggregation {
  readonly aggregation: readonly WrittenMetric[]
  readonly groupBy?: readonly WrittenGrouping[] | null
}

export interface WrittenMetric {
  readonly type: string
  readonly field?: string | null
  readonly name?: string | null
}

export interface AggregationContext {
  readonly objectType: ObjectType
  readonly limits: QueryLimits
}

/** Parses an aggregation, or throws the error that the client gets. */
export function parseAggregation(
  { aggregation, groupBy }: WrittenAggregation,
  { objectType, limits }: AggregationContext,
): Aggregation {
  const budget = new QueryBudget(limits)
  const findProperty = propertyFinder(objectType, budget)
  if (aggregation.length === 0)
    throw unprocessable('aggregation', 'is empty; at least one metric is required')
  budget.spendTerms(aggregation.length)
  const metrics = aggregation.map((written, index) =>
    readMetric(written, `aggregation[${index}]`, findProperty),
  )
  refuseRepeatedNames(metrics)
  return {
    metrics,
    groupings: readGroupings(groupBy ?? [], { objectType, budget, findProperty }),
  }
}

function readMetric(written: WrittenMetric, path: string, findProperty: FindProperty): Metric {
  const { type: kind } = written
  if (kind === 'count') {
    refuseOtherMembers(written, { ofType: ['type', 'name'], ofAnyType: MEMBERS }, path, 'metric')
    return { kind, name: written.name ?? kind }
  }
  if (!isPropertyMetric(kind)) {
    throw new ObjectQueryError('AggregationMetricNotSupported', { metricType: kind })
  }
  refuseOtherMembers(written, { ofType: MEMBERS, ofAnyType: MEMBERS }, path, 'metric')
  const aggregated = findProperty(written.field, path)
  const { property, type } = aggregated
  const name = written.name ?? `${kind}_${property}`
  switch (kind) {
    case 'min':
    case 'max':
      if (isNumericType(type) || isTimeType(type)) return { kind, name, property, type }
      break
    case 'sum':
    case 'avg':
      if (isNumericType(type)) return { kind, name, property, type }
      break
    case 'approximateDistinct':
      if (type !== undefined && isComparable(type)) return { kind, name, property, type }
  }
  throw invalidPropertyType(aggregated, `${kind} is not defined for this type`)
}

const MEMBERS = ['type', 'field', 'name']

const PROPERTY_METRICS = ['min', 'max', 'sum', 'avg', 'approximateDistinct'] as const

function isPropertyMetric(kind: string): kind is (typeof PROPERTY_METRICS)[number] {
  return (PROPERTY_METRICS as readonly string[]).includes(kind)
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
