import { expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import type { Comparison } from '../view/chart-state.ts'
import { conditionsOf } from '../view/compile-filters.ts'
import { fromSearch } from '../view/view-state.ts'
import { comparedAxis, periodOf } from './compare.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'flight',
  rid: 'r',
  primaryKey: 'id',
  properties: { id: { type: 'integer' }, day: { type: 'date' }, at: { type: 'timestamp' } },
}
const ontology = { apiName: 'world', rid: 'o', objectTypes: [objectType] }
const of = (search: string) => ({
  ...{ ontology, objectType },
  view: fromSearch(new URLSearchParams(search)),
})

const periodIn = (search: string) => {
  const period = periodOf(of(search))
  return period && [period.fromMs, period.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16))
}

it.each([
  ['w=day:gte:2026-01-01&w=day:lt:2026-04-01', '2026-01-01T00:00', '2026-04-01T00:00'],
  ['w=day:between:2026-01-01,2026-03-31', '2026-01-01T00:00', '2026-04-01T00:00'],
  ['w=day:eq:2026-03-31', '2026-03-31T00:00', '2026-04-01T00:00'],
  ['w=day:gt:2025-12-31&w=day:lte:2026-03-31', '2026-01-01T00:00', '2026-04-01T00:00'],
  // The narrower bound holds.
  [
    'w=day:between:2026-01-01,2026-12-31&w=day:lt:2026-04-01',
    '2026-01-01T00:00',
    '2026-04-01T00:00',
  ],
  [
    'w=at:between:2026-01-01T00:00:00.000Z,2026-03-31T23:59:59.999999Z',
    ...['2026-01-01T00:00', '2026-04-01T00:00'],
  ],
])('finds the period of %s', (search, from, to) => {
  expect(periodIn(search)).toEqual([from, to])
})

it('finds no period without both bounds', () => {
  for (const search of [
    '',
    'w=day:gte:2026-01-01',
    'w=day:between:2026-01-01,',
    'w=id:between:1,2',
  ]) {
    expect([search, periodIn(search)]).toEqual([search, undefined])
  }
})

const comparedWith = (search: string, kind: Exclude<Comparison['kind'], 'filter'>) => {
  const view = comparedAxis(of(search), { kind })?.slices[1]?.view
  return view && conditionsOf(view, of(search))
}

it('compares a period with the one before, by calendar months', () => {
  const quarter = [{ day: { gte: '2025-10-01' } }, { day: { lt: '2026-01-01' } }]
  expect(comparedWith('w=day:between:2026-01-01,2026-03-31', 'before')).toEqual(quarter)
  expect(comparedWith('w=day:gte:2026-01-01&w=day:lt:2026-04-01', 'before')).toEqual(quarter)
  const moments = 'w=at:between:2026-01-01T00:00:00.000Z,2026-03-31T23:59:59.999999Z'
  expect(comparedWith(moments, 'before')).toEqual([
    { at: { gte: '2025-10-01T00:00:00.000Z' } },
    { at: { lt: '2026-01-01T00:00:00.000Z' } },
  ])
  // An upper bound at midnight includes that moment only.
  const midnight = 'w=at:between:2026-01-01T00:00:00Z,2026-04-01T00:00:00Z'
  expect(comparedWith(midnight, 'before')?.[0]).toEqual({ at: { gte: '2025-10-01T00:00:00.000Z' } })
})
