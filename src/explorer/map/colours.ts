/** Colours of a map by the values of a property: by the most frequent ones, or by steps of numbers. */
import { queryOptions } from '@tanstack/react-query'
import { bisectRight } from 'd3-array'
import { isNumber, type ObjectRecord, type ObjectTypeDefinition } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { aggregate, countedKey, percentiles, staleTimeOf } from '../queries/aggregate.ts'
import { facetOperator, facetQuery } from '../queries/facet-query.ts'
import { conditionsOf, type JsonConditions } from '../view/compile-filters.ts'
import { fieldOf, pathsOf, valueAt } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'

export type ColourScale =
  | { readonly kind: 'values'; readonly path: string; readonly values: readonly string[] }
  | { readonly kind: 'numbers'; readonly path: string; readonly steps: readonly number[] }

/** Values that have a colour of their own; all others share one. */
const MOST_VALUES = 6
const SERIES = Array.from({ length: MOST_VALUES }, (_, n) => `var(--color-series-${n + 1})`)
const OTHERS = 'var(--color-edge)'
/** The part of the accent colour in each step. */
const STRENGTHS = [25, 45, 65, 82, 100]
const PERCENTS = { one: 20, two: 40, three: 60, four: 80 } as const

/** True if a map can be coloured by a property. */
function hasColours(type: ObjectTypeDefinition, path: string): boolean {
  const scalar = scalarOf(type, path)
  return path !== type.primaryKey && (isNumber(scalar) || /^(string|boolean)$/.test(scalar ?? ''))
}

export function colourable(type: ObjectTypeDefinition): readonly string[] {
  return pathsOf(type).filter((path) => hasColours(type, path))
}

export function colourScaleQuery(service: Service, of: TypeView, path: string) {
  const values = facetQuery(service, of, path, MOST_VALUES)
  return queryOptions({
    queryKey: ['map colours', path, ...countedKey(of)],
    queryFn: async (context): Promise<ColourScale> => {
      if (!isNumber(scalarOf(of.objectType, path))) {
        const facet = await values.queryFn?.(context as never)
        return { kind: 'values', path, values: facet?.values.map(({ value }) => value) ?? [] }
      }
      const aggregation = percentiles(fieldOf(path), PERCENTS)
      const { data } = await aggregate(service, of, { aggregation, groupBy: [] }, context.signal)
      const steps = data[0]?.metrics.map(({ value }) => Number(value)) ?? []
      return { kind: 'numbers', path, steps: [...new Set(steps)].filter(Number.isFinite) }
    },
    staleTime: staleTimeOf(of),
  })
}

/** Returns the colours of a scale; the last one is that of everything else. */
export function paletteOf(scale: ColourScale | undefined): readonly string[] {
  if (scale === undefined) return ['var(--color-accent)']
  if (scale.kind === 'values') return [...SERIES.slice(0, scale.values.length), OTHERS]
  const last = STRENGTHS.length - 1
  const mixed = [...scale.steps, 0].map((_, index) => {
    const strength = STRENGTHS[last - scale.steps.length + index]
    return `color-mix(in srgb, var(--color-accent) ${strength}%, var(--color-panel))`
  })
  return [...mixed, OTHERS]
}

/** Returns the place of a number in the palette. */
export function colourOfNumber(steps: readonly number[], value: number): number {
  return Number.isFinite(value) ? bisectRight(steps, value) : steps.length + 1
}

/** Returns the place of an object in the palette. */
export function colourOfRecord(scale: ColourScale | undefined, record: ObjectRecord): number {
  if (scale === undefined) return 0
  const value = valueAt(record, scale.path)
  if (scale.kind === 'numbers') return colourOfNumber(scale.steps, Number(value ?? Number.NaN))
  const texts = (Array.isArray(value) ? value : [value]).map(String)
  const found = scale.values.findIndex((each) => texts.includes(each))
  return found === -1 ? scale.values.length : found
}

/** Returns the condition for the objects with a value of a scale. */
export function valueCondition(of: TypeView, field: string, value: string): JsonConditions[] {
  const operator = facetOperator(of.objectType, field)
  return [...conditionsOf({ ...EMPTY_VIEW, filters: [{ field, operator, value }] }, of)]
}
