import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isComparable } from '../ontology/values/column-value.ts'
import { type Aggregation, isNumericType, isTimeType, type Metric } from './aggregation.ts'
import {
  type FindProperty,
  invalidPropertyType,
  propertyFinder,
  refuseOtherMembers,
} from './aggregation-fields.ts'
import { readGroupings, type WrittenGrouping } from './parse-grouping.ts'
import { QueryBudget, type QueryLimits } from './query-budget.ts'
import { unprocessable } from './unprocessable.ts'

/** The aggregation of a request of revision 1.0 → the checked one. Null means absent. */

/** As the schema of the endpoint lets it through. */
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

export function parseAggregation(
  { aggregation, groupBy }: WrittenAggregation,
  { objectType, limits }: AggregationContext,
): Aggregation {
  const budget = new QueryBudget(limits)
  const findProperty = propertyFinder(objectType, budget)
  if (aggregation.length === 0) throw unprocessable('aggregation', 'names no metric')
  budget.spendTerms(aggregation.length)
  const metrics = aggregation.map((written, index) =>
    readMetric(written, `aggregation[${index}]`, findProperty),
  )
  refuseEqualNames(metrics)
  return {
    metrics,
    groupings: readGroupings(groupBy ?? [], { objectType, budget, findProperty }),
  }
}

function readMetric(written: WrittenMetric, path: string, findProperty: FindProperty): Metric {
  const { type: kind } = written
  if (kind === 'count') {
    refuseOtherMembers(written, ['type', 'name'], path, 'metric')
    return { kind, name: written.name ?? kind }
  }
  if (!isPropertyMetric(kind)) {
    throw new ObjectQueryError('AggregationMetricNotSupported', { metricType: kind })
  }
  const found = findProperty(written.field, path)
  const { property, type } = found
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
  throw invalidPropertyType(found, `has no ${kind}`)
}

const PROPERTY_METRICS = ['min', 'max', 'sum', 'avg', 'approximateDistinct'] as const

function isPropertyMetric(kind: string): kind is (typeof PROPERTY_METRICS)[number] {
  return (PROPERTY_METRICS as readonly string[]).includes(kind)
}

/** Clients look metrics up by name, so that of two equal names one would be lost. */
function refuseEqualNames(metrics: readonly Metric[]): void {
  const names = metrics.map(({ name }) => name)
  const again = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (again !== -1) {
    throw unprocessable(
      `aggregation[${again}].name`,
      `${names[again]} is the name of another metric`,
    )
  }
}
