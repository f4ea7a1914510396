import { expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { lostInChart } from '../charts/lost-chart.ts'
import { linkRequests } from '../share/view-link.ts'
import { readChart } from './chart-state.ts'
import { conditionsOf, LostCondition } from './compile-filters.ts'
import { fieldAt } from './field-at.ts'
import { currentPath, lostFilters, lostParts } from './lost-parts.ts'
import { fromSearch, viewText } from './view-state.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: {
    id: { type: 'integer' },
    people: { type: 'long', renamedFrom: 'population' },
    names: {
      type: 'array',
      items: { type: 'struct', fields: { text: { type: 'string', renamedFrom: 'label' } } },
    },
  },
}
const country: ObjectTypeDefinition = {
  apiName: 'country',
  rid: 's',
  primaryKey: 'code',
  properties: { code: { type: 'string' }, area: { type: 'double', renamedFrom: 'size' } },
}
const ontology: OntologyDefinition = {
  apiName: 'world',
  rid: 'o',
  objectTypes: [objectType, country],
  linkTypes: [
    {
      ...{ apiName: 'country', reverseApiName: 'cities', renamedFrom: 'state' },
      ...{ from: 'city', to: 'country', foreignKey: 'id' },
    },
  ],
}
const of = { ontology, objectType }
const view = (search: string) => fromSearch(new URLSearchParams(search))

it('knows properties, fields of structs, links and what they lead to', () => {
  const known = [
    'id',
    'names',
    'names/text',
    'country',
    'country/area',
    'country/cities/names/text',
  ]
  expect(known.map((path) => fieldAt(of, path)?.links.length)).toEqual([0, 0, 0, 1, 1, 2])
  const unknown = ['gone', 'names/gone', 'id/text', 'country/gone', 'cities', 'names/text/more']
  const inherited = ['constructor', 'names/constructor', 'country/toString']
  for (const path of [...unknown, ...inherited])
    expect([path, fieldAt(of, path)]).toEqual([path, undefined])
})

it('finds what a path is called now', () => {
  const paths = ['population', 'names/label', 'state/size', 'state', 'people', 'gone', 'state/gone']
  expect(paths.map((path) => currentPath(of, path))).toEqual([
    ...['people', 'names/text', 'country/area', 'country', 'people', undefined, undefined],
  ])
})

it.each([
  ['an unknown property', 'w=gone:eq:1'],
  ['an unknown alternative', 'w=|people:gt:1|gone:eq:1'],
  ['an unknown property behind a link', 'w=country/gone:eq:1'],
  ['a property of another name', 'w=population:gt:1'],
  ['an unknown operator', 'w=people:above:1'],
  ['an alternative that cannot be read', 'w=|people:gt:1|people'],
  ['a list without values', 'w=people:in:'],
  ['a box without positions', 'in=1,2,3,4'],
  ['a box that cannot be read', 'in=1,2,3'],
])('asks for no objects with %s', (_what, search) => {
  const shown = view(`${search}&w=people:lt:9`)
  expect(lostFilters(shown, of)).toHaveLength(1)
  expect(() => conditionsOf(shown, of)).toThrow(LostCondition)
  // A read-only link would show every object of the type.
  const link = { name: 'All', createdBy: 'ada', days: 1 }
  expect(() => linkRequests({ ...of, view: shown }, link, 'x')).toThrow(LostCondition)
  // The address keeps it until somebody removes it.
  expect(lostFilters(view(viewText(shown)), of)).toHaveLength(1)
  const [lost] = lostFilters(shown, of)
  expect(lostFilters({ ...shown, ...lost?.without }, of)).toEqual([])
})

it('names the property of now, and repairs the view with it', () => {
  const shown = view('w=population:gt:5&o=population:desc&c=population&view=map&by=population')
  const parts = lostParts(shown, of)
  expect(parts.map(({ name, renamed }) => [name, renamed?.name])).toEqual([
    ['Population > 5', 'People'],
    ['Order by Population', 'People'],
    ['Column Population', 'People'],
    ['Colour by Population', 'People'],
  ])
  const repaired = Object.assign({}, shown, ...parts.map(({ renamed }) => renamed?.change))
  expect(repaired).toEqual(view('w=people:gt:5&o=people:desc&c=people&view=map&by=people'))
  expect(lostParts(repaired, of)).toEqual([])
})

const lostIn = (text: string) => {
  const chart = readChart(text)
  return chart === undefined ? [] : lostInChart(of, chart)
}

it.each([
  ['id~sum:gone', 'Sum of Gone', undefined],
  ['id~sum:population', 'Sum of Population', 'id~sum:people'],
  ['id~sum:names', 'Sum of Names', undefined],
  ['population~avg:id', 'By Population', 'people~avg:id'],
  ['id~total:people', 'total:people', undefined],
  ['id~p120:people', 'p120:people', undefined],
  ['id~vs:filter:gone:eq:1', 'Compared with Gone is 1', undefined],
  ['id~vs:never', 'vs:never', undefined],
] as const)('computes nothing else in place of %s', (text, name, repaired) => {
  const [lost, ...others] = lostIn(text)
  expect([lost?.name, others]).toEqual([name, []])
  expect(lost?.renamed?.change).toEqual(repaired && readChart(repaired))
})

it('computes what the type has', () => {
  for (const text of ['id', 'people:100~max:people', 'id~p95:people~vs:filter:people:eq:1']) {
    expect([text, lostIn(text)]).toEqual([text, []])
  }
})
