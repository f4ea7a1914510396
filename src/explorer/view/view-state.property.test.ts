import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DEFAULT_CHART, readChart } from './chart-state.ts'
import { type Condition, isList, OPERATORS, valuesOf, writeList } from './filters.ts'
import {
  EMPTY_VIEW,
  fromSearch,
  LAYOUTS,
  toSearch,
  type ViewState,
  viewText,
} from './view-state.ts'

const name = fc.stringMatching(/^[\w.-]{1,12}$/)
const field = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
const condition: fc.Arbitrary<Condition> = fc
  .record({ field, operator: fc.constantFrom(...OPERATORS), value: fc.string() })
  // A list without values is not in the address.
  .filter(({ operator, value }) => !isList(operator) || value !== '')
const view: fc.Arbitrary<ViewState> = fc.record({
  filters: fc.array(
    fc.oneof(
      condition,
      fc
        .tuple(condition, fc.array(condition, { minLength: 1, maxLength: 3 }))
        .map(([first, or]) => ({ ...first, or })),
    ),
    { maxLength: 4 },
  ),
  unread: fc.constantFrom([], [['w', 'a:nope:1'] as const]),
  text: fc.string(),
  box: fc.option(
    fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: -180, max: 180 }))) as never,
    { nil: undefined },
  ),
  order: fc.array(
    fc.record({ property: name, direction: fc.constantFrom('asc' as const, 'desc' as const) }),
    { maxLength: 3 },
  ),
  columns: fc.option(fc.array(name, { minLength: 1, maxLength: 4 }), { nil: undefined }),
  pins: fc.array(name, { maxLength: 2 }),
  isSnapshot: fc.boolean(),
  layout: fc.constantFrom(...LAYOUTS),
  chart: fc.constantFrom(undefined, DEFAULT_CHART, readChart('a,b:month~avg:c~vs:filter:d:eq:~%')),
  colour: fc.option(name, { nil: undefined }),
  peek: fc.option(fc.string(), { nil: undefined }),
  trail: fc.array(fc.string(), { maxLength: 3 }),
})

it('reads every view from its own address', () => {
  fc.assert(
    fc.property(view, (written) => {
      expect(fromSearch(new URLSearchParams(toSearch(written).toString()))).toEqual(written)
    }),
  )
})

it('leaves defaults out of the address', () => {
  expect(toSearch(EMPTY_VIEW).toString()).toBe('')
})

it('ignores what it cannot read, unless other objects would be shown', () => {
  expect(fromSearch(new URLSearchParams('view=cube&rev=2&o=:desc'))).toEqual(EMPTY_VIEW)
  const search = new URLSearchParams('w=:eq:1&w=a:nope:1&in=1,2')
  const unread = [
    ['w', ':eq:1'],
    ['w', 'a:nope:1'],
    ['in', '1,2'],
  ]
  expect(fromSearch(search)).toEqual({ ...EMPTY_VIEW, unread })
})

it('reads every list of values from its own text', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (values) => {
      expect(valuesOf({ field: 'a', operator: 'in', value: writeList(values) })).toEqual(values)
    }),
  )
})

it('has short and readable addresses', () => {
  const filters = [
    'originAirport/state:in:TX,CA',
    '|delayMinutes:gt:60|late:eq:true',
    'distanceMiles:between:100,500',
  ]
  const search = filters.map((filter) => `w=${filter}`).join('&')
  const read = fromSearch(new URLSearchParams(search))
  expect(viewText(read)).toBe(`?${search}`)
})
