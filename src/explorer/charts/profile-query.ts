/** What the values of a column are like, over all objects of a view. */
import { queryOptions } from '@tanstack/react-query'
import { isNumber, type ScalarType } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import {
  type AggregationBody,
  aggregateWhere,
  COUNT,
  countedKey,
  type Group,
  percentiles,
  staleTimeOf,
} from '../queries/aggregate.ts'
import { type JsonConditions, whereOf } from '../view/compile-filters.ts'
import { fieldOf, isNull } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import { isArray, isComparable, isTime, type Value } from './measures.ts'

export interface FrequentValue {
  readonly value: string
  readonly count: number
}

export interface Lengths {
  readonly shortest: number
  readonly median: number
  readonly longest: number
}

export interface Profile {
  /** Objects of the view. */
  readonly count: number
  readonly missing: number
  /** Different values; of arrays, it is not known. */
  readonly distinct: number | undefined
  /** Smallest, percentiles, largest and average value, by their names, in order. */
  readonly facts: readonly (readonly [name: string, value: Value])[]
}

export interface ProfileValues {
  readonly frequent: readonly FrequentValue[]
  /** None if the frequent ones are all values. */
  readonly rare: readonly FrequentValue[]
  /** How long texts are; undefined for other types, and for very many different texts. */
  readonly lengths: Lengths | undefined
}

export function allDiffer({ count, missing, distinct }: Profile): boolean {
  return distinct === count - missing && distinct > 1
}

const PERCENTILES = {
  '5th percentile': 5,
  '25th percentile': 25,
  Median: 50,
  '75th percentile': 75,
  '95th percentile': 95,
} as const
const VALUES_SHOWN = 5
/** The lengths of more texts than these are not worth the bytes of the answer. */
const MOST_TEXTS = 5000

export function profileQuery(service: Service, of: TypeView, path: string) {
  return queryOptions({
    queryKey: ['profile', path, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<Profile> => {
      const ask = askOf(service, of, signal)
      const type = scalarOf(of.objectType, path)
      const metrics = isArray(of.objectType, path) ? [] : metricsOf(type, fieldOf(path))
      const [all, missing] = await Promise.all([
        ask({ aggregation: [COUNT, ...metrics], groupBy: [] }),
        ask({ aggregation: [COUNT], groupBy: [] }, [isNull(path)]),
      ])
      const found = new Map(all.data[0]?.metrics.map(({ name, value }) => [name, value]))
      return {
        count: Number(found.get('count') ?? 0),
        missing: Number(missing.data[0]?.metrics[0]?.value ?? 0),
        distinct: found.has('distinct') ? Number(found.get('distinct')) : undefined,
        facts: [...found].filter(([name]) => name !== 'count' && name !== 'distinct'),
      }
    },
    staleTime: staleTimeOf(of),
  })
}

/** Apart from the profile, because it takes longer if very many values differ. */
export function profileValuesQuery(service: Service, of: TypeView, path: string, profile: Profile) {
  const { distinct = 0 } = profile
  return queryOptions({
    enabled: distinct <= MOST_TEXTS || !allDiffer(profile),
    queryKey: ['profile-values', path, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<ProfileValues> => {
      const ask = askOf(service, of, signal)
      const field = fieldOf(path)
      const type = scalarOf(of.objectType, path)
      const values = async (metric: object, maxGroupCount?: number) => {
        if (!isComparable(type)) return []
        const groupBy = [{ type: 'exact', field, ...(maxGroupCount && { maxGroupCount }) }]
        const { data } = await ask({ aggregation: [metric], groupBy })
        return data.map((group) => countedValue(group, field))
      }
      const hasLengths = type === 'string' && distinct <= MOST_TEXTS
      const [frequent, rarest, texts] = await Promise.all([
        values({ ...COUNT, direction: 'DESC' }, VALUES_SHOWN),
        values({ ...COUNT, direction: 'ASC' }, VALUES_SHOWN),
        hasLengths && !isArray(of.objectType, path) ? values(COUNT) : [],
      ])
      return {
        frequent,
        rare: rarest.filter(({ value }) => !frequent.some((each) => each.value === value)),
        lengths: lengthsOf(texts),
      }
    },
    staleTime: staleTimeOf(of),
  })
}

function askOf(service: Service, of: TypeView, signal: AbortSignal) {
  return (body: AggregationBody, within: readonly JsonConditions[] = []) =>
    aggregateWhere(service, of, { where: whereOf(of, within), ...body }, signal)
}

/** The names of the metrics are those that the screen shows. */
function metricsOf(type: ScalarType | undefined, field: string): readonly object[] {
  if (!isComparable(type)) return []
  const distinct = { type: 'exactDistinct', name: 'distinct', field }
  if (!isNumber(type) && !isTime(type)) return [distinct]
  return [
    distinct,
    { type: 'min', name: 'Minimum', field },
    ...percentiles(field, PERCENTILES),
    { type: 'max', name: 'Maximum', field },
    ...(isTime(type) ? [] : [{ type: 'avg', name: 'Average', field }]),
  ]
}

function countedValue({ group, metrics }: Group, field: string): FrequentValue {
  return { value: String(group[field]), count: Number(metrics[0]?.value ?? 0) }
}

/** Returns the lengths of texts in characters, each as often as it occurs. */
export function lengthsOf(texts: readonly FrequentValue[]): Lengths | undefined {
  const lengths = texts
    .map(({ value, count }) => ({ length: [...value].length, count }))
    .toSorted((a, b) => a.length - b.length)
  const [first, last] = [lengths[0], lengths.at(-1)]
  if (first === undefined || last === undefined) return undefined
  let left = lengths.reduce((sum, { count }) => sum + count, 0) / 2
  const median = lengths.find(({ count }) => {
    left -= count
    return left <= 0
  })
  return { shortest: first.length, median: (median ?? last).length, longest: last.length }
}
