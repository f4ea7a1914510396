import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type ChartState,
  DEFAULT_CHART,
  FORM_NAMES,
  MEASURE_NAMES,
  type MeasureKind,
  readChart,
  SORT_NAMES,
  TIME_STEPS,
  writeChart,
} from './chart-state.ts'

const name = fc.stringMatching(/^[\w.-]{1,12}$/)
const path = fc.oneof(
  name,
  fc.tuple(name, name).map((names) => names.join('/')),
)
const namesOf = <Name extends string>(names: Readonly<Record<Name, string>>) =>
  fc.constantFrom(...(Object.keys(names) as Name[]))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const simple = Object.keys(MEASURE_NAMES).filter(
  (kind): kind is Exclude<MeasureKind, 'count' | 'percentile'> =>
    kind !== 'count' && kind !== 'percentile',
)
const measure = fc.oneof(
  fc.constant(DEFAULT_CHART.measure),
  fc.record({ kind: fc.constantFrom(...simple), of: path, percent: fc.constant(undefined) }),
  fc.record({
    kind: fc.constant('percentile' as const),
    of: path,
    percent: fc.integer({ min: 1, max: 99 }),
  }),
)

const chart: fc.Arbitrary<ChartState> = fc.record({
  measure,
  by: fc.array(
    fc.record({
      path,
      step: maybe(
        fc.oneof(
          fc.constantFrom('value' as const, ...TIME_STEPS),
          fc.double({ min: 1e-300, noNaN: true, noDefaultInfinity: true }),
        ),
      ),
    }),
    { maxLength: 2 },
  ),
  form: maybe(namesOf(FORM_NAMES)),
  sort: namesOf(SORT_NAMES),
  top: fc.integer({ min: 1, max: 100 }),
  isShare: fc.boolean(),
  unread: fc.constantFrom([], ['nope:x'], ['vs:never', 'p0:x']),
  against: maybe(
    fc.oneof(
      fc.record({ kind: fc.constantFrom('before' as const, 'year' as const, 'all' as const) }),
      fc.record({ kind: fc.constant('filter' as const), filter: fc.string() }),
    ),
  ),
})

it('reads every chart from its own text', () => {
  fc.assert(
    fc.property(chart, (written) => {
      expect(readChart(writeChart(written))).toEqual(written)
    }),
  )
})

it('writes a count by one property as its name, and leaves defaults out', () => {
  expect(writeChart({ ...DEFAULT_CHART, by: [{ path: 'origin', step: undefined }] })).toBe('origin')
  expect(writeChart(DEFAULT_CHART)).toBe('')
  expect(readChart('')).toEqual(DEFAULT_CHART)
  expect(readChart(null)).toBeUndefined()
})

it('ignores what it cannot read, unless the chart would show something else', () => {
  const text =
    'a,b,c~as:cube~sort:up~top:0~top:1000~p0:x~p:x~nope:x~avg:~count:x~vs:never~toString:x'
  const by = ['a', 'b'].map((each) => ({ path: each, step: undefined }))
  const unread = ['p0:x', 'p:x', 'nope:x', 'avg:', 'count:x', 'vs:never', 'toString:x']
  expect(readChart(text)).toEqual({ ...DEFAULT_CHART, by, unread })
})
