import { expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { fieldAt } from './field-at.ts'
import { knownPart } from './type-view.ts'
import { EMPTY_VIEW } from './view-state.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: {
    id: { type: 'integer' },
    names: { type: 'array', items: { type: 'struct', fields: { text: { type: 'string' } } } },
  },
}

const country: ObjectTypeDefinition = {
  apiName: 'country',
  rid: 's',
  primaryKey: 'code',
  properties: { code: { type: 'string' }, area: { type: 'double' } },
}
const ontology: OntologyDefinition = {
  apiName: 'world',
  rid: 'o',
  objectTypes: [objectType, country],
  linkTypes: [
    { apiName: 'country', reverseApiName: 'cities', from: 'city', to: 'country', foreignKey: 'id' },
  ],
}
const of = { ontology, objectType }

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
  expect(unknown.map((path) => fieldAt(of, path))).toEqual(unknown.map(() => undefined))
})

it('leaves out what the type does not have, with all its alternatives', () => {
  const kept = { field: 'id', operator: 'eq', value: '1' } as const
  const gone = { field: 'gone', operator: 'eq', value: '1' } as const
  const view = knownPart(
    {
      ...EMPTY_VIEW,
      filters: [gone, kept, { ...kept, or: [gone] }],
      order: [
        { property: 'gone', direction: 'asc' },
        { property: 'country', direction: 'asc' },
      ],
      box: [1, 2, 3, 4],
    },
    of,
  )
  expect(view).toEqual({ ...EMPTY_VIEW, filters: [kept] })
})
