/** Arbitraries of what callers with any rights ask about two object types while these change. */
import fc from 'fast-check'
import { isNumericType, isTimeType } from '../../src/query/aggregation/aggregation.ts'
import type { WrittenAggregation } from '../../src/query/aggregation/parse-aggregation.ts'
import { TIME_UNITS } from '../../src/query/aggregation/time-step.ts'
import {
  type GeneratedChange,
  type GeneratedType,
  type History,
  historiesWithMore,
  PROPERTY_NAMES,
  type QueryField,
} from './query-arbitraries.ts'
import type { RequestCondition } from './query-model.ts'
import { type Request, requests } from './query-requests.ts'

export const CASES_PER_STEP = 8
export const STEPS_PER_GROUP = 5

const STEPS = [
  ...(['commit', 'commit', 'commit', 'commit', 'replace', 'add', 'convert', 'reclaim'] as const),
  ...(['kill', 'restart', 'damage', 'restore'] as const),
]

/** What happens to the type with this index before the next cases. */
export interface Step {
  readonly do: (typeof STEPS)[number]
  readonly to: 0 | 1
  readonly changes: readonly GeneratedChange[]
  readonly cases: readonly Case[]
}

export interface Case extends Request {
  readonly kind: 'page' | 'setPage' | 'aggregate'
  /** The index of the type. */
  readonly of: 0 | 1
  /** The condition on the other type, in a page over both. */
  readonly other: RequestCondition
  readonly aggregation: WrittenAggregation
  /** Adds the condition that linked objects match the other one. */
  readonly link: { readonly choice: number; readonly as: 'and' | 'or' | 'not' } | undefined
  /** What the caller may see of each type. */
  readonly rights: readonly Rights[]
  readonly size: number
  readonly maxBytes: number
  readonly includeTotalCount: boolean
  /** How many versions back; undefined reads the latest version. */
  readonly back: number | undefined
}

interface Rights {
  /** Selects the visible objects; undefined for all. */
  readonly rows: RequestCondition | undefined
  /** Numbers of hidden properties. */
  readonly hidden: readonly number[]
}

export interface Group {
  readonly types: readonly [History, History]
  readonly steps: readonly Step[]
}

const history = historiesWithMore(PROPERTY_NAMES, STEPS_PER_GROUP)

export const groups: fc.Arbitrary<Group> = fc.tuple(history, history).chain((types) =>
  fc
    .tuple(
      ...Array.from({ length: STEPS_PER_GROUP }, (_, index) =>
        fc
          .record({
            do: fc.constantFrom(...STEPS),
            to: fc.constantFrom(0 as const, 1 as const),
            cases: fc.array(
              cases(types.map(({ type }) => type) as [GeneratedType, GeneratedType]),
              {
                minLength: CASES_PER_STEP,
                maxLength: CASES_PER_STEP,
              },
            ),
          })
          .map((step): Step => ({ ...step, changes: types[step.to].more[index] ?? [] })),
      ),
    )
    // A failure prints its case, not the whole group.
    .map((steps) => ({ types, steps, [fc.toStringMethod]: () => 'see the cause' })),
)

function cases(types: readonly [GeneratedType, GeneratedType]): fc.Arbitrary<Case> {
  const conditions = types.map((type) => requests(type).map(({ condition }) => condition))
  const rights = types.map((type, index) =>
    fc.record({
      rows: fc.option(conditions[index] as fc.Arbitrary<RequestCondition>, {
        nil: undefined,
        freq: 2,
      }),
      hidden: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        {
          weight: 1,
          arbitrary: fc.array(fc.nat(type.model.properties.size - 1), {
            minLength: 1,
            maxLength: 2,
          }),
        },
      ),
    }),
  )
  return fc.constantFrom(0 as const, 1 as const).chain((of) => {
    const [type, other] = of === 0 ? types : ([types[1], types[0]] as const)
    return fc
      .record({
        request: requests(type),
        kind: fc.constantFrom('page', 'page', 'setPage', 'aggregate', 'aggregate' as const),
        other: requests(other).map(({ condition }) => condition),
        aggregation: aggregations(type),
        link: fc.option(
          fc.record({
            choice: fc.nat(20),
            as: fc.constantFrom('and' as const, 'or' as const, 'not' as const),
          }),
          { nil: undefined, freq: 2 },
        ),
        rights: fc.tuple(...rights),
        size: fc.integer({ min: 1, max: 20 }),
        maxBytes: fc.constantFrom(1_000_000, 1_000_000, 1_000_000, 500),
        includeTotalCount: fc.boolean(),
        back: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
      })
      .map(({ request, ...rest }): Case => ({ ...request, of, ...rest }))
  })
}

type Written<Of> = fc.Arbitrary<Record<string, unknown> & Of>

function aggregations({ fields }: GeneratedType): fc.Arbitrary<WrittenAggregation> {
  return fc
    .record({
      aggregation: fc.array(fc.constantFrom(...fields).chain(metricOf), {
        minLength: 1,
        maxLength: 3,
      }),
      groupBy: fc.array(fc.constantFrom(...fields).chain(groupingOf), { maxLength: 2 }),
      direction: fc.constantFrom(undefined, undefined, 'ASC', 'DESC'),
    })
    .map(({ aggregation, groupBy, direction }) => ({
      aggregation: aggregation.map((metric, index) => ({
        ...metric,
        name: `m${index}`,
        ...(index === 0 && direction !== undefined && groupBy.length === 1 && { direction }),
      })),
      groupBy,
    })) as fc.Arbitrary<WrittenAggregation>
}

/** Names a field as requests of v2 do. */
function namesOf({ property, structField }: QueryField) {
  if (structField === undefined) return { field: property }
  const type = 'structField'
  return {
    propertyIdentifier: { type, propertyApiName: property, structFieldApiName: structField },
  }
}

function metricOf(field: QueryField): Written<{ type: string }> {
  const { type } = field
  const names = namesOf(field)
  const ofNumbers = isNumericType(type) ? ['sum', 'avg'] : []
  const ofSorted = isNumericType(type) || isTimeType(type) ? ['min', 'max'] : []
  const kinds = [...ofNumbers, ...ofSorted, 'approximateDistinct', 'exactDistinct']
  const plain = fc.constantFrom(...kinds).map((kind) => ({ type: kind, ...names }))
  const percentile = fc.constantFrom(0, 7, 50, 99, 100).map((approximatePercentile) => ({
    type: 'approximatePercentile',
    approximatePercentile,
    ...names,
  }))
  const count = fc.constant({ type: 'count' })
  return fc.oneof(count, plain, ...(ofSorted.length > 0 ? [percentile] : []))
}

function groupingOf(field: QueryField): Written<{ type: string }> {
  const { type, pool } = field
  const names = namesOf(field)
  const exact = fc
    .record(
      { maxGroupCount: fc.integer({ min: 1, max: 6 }), includeNullValues: fc.boolean() },
      { requiredKeys: [] },
    )
    .map((limits) => ({ type: 'exact', ...limits, ...names }))
  const geoGrid = fc
    .record({
      box: fc.constantFrom(
        { west: -180, south: -90, east: 180, north: 90 },
        { west: 170, south: -30, east: -150, north: 10 },
      ),
      columns: fc.integer({ min: 1, max: 9 }),
      rows: fc.integer({ min: 1, max: 9 }),
    })
    .map((grid) => ({ type: 'geoGrid', ...grid, ...names }))
  if (type === 'geopoint') return geoGrid
  const value = fc.constantFrom(...pool)
  const ranges = fc
    .array(fc.record({ startValue: value, endValue: value }, { requiredKeys: [] }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((list) => ({ type: 'ranges', ranges: list, ...names }))
  const duration = fc
    .record({ value: fc.constantFrom(1, 1, 2, 500), unit: fc.constantFrom(...TIME_UNITS) })
    .map((step) => ({ type: 'duration', ...step, ...names }))
  const fixedWidth = fc
    .integer({ min: 1, max: 7 })
    .map((width) => ({ type: 'fixedWidth', fixedWidth: width, ...names }))
  return fc.oneof(
    exact,
    ...(isNumericType(type) ? [ranges, fixedWidth] : []),
    ...(isTimeType(type) ? [ranges, duration] : []),
  )
}
