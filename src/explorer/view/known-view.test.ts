import { expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { isKnownField, knownPart } from './type-view.ts'
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

it('knows properties and fields of structs', () => {
  const known = ['id', 'names', 'names/text', 'gone', 'names/gone', 'id/text'].map((path) =>
    isKnownField(objectType, path),
  )
  expect(known).toEqual([true, true, true, false, false, false])
})

it('leaves out what the type does not have', () => {
  const kept = { field: 'id', operator: 'eq', value: '1' } as const
  const view = knownPart(
    {
      ...EMPTY_VIEW,
      filters: [{ field: 'gone', operator: 'eq', value: '1' }, kept],
      order: [{ property: 'gone', direction: 'asc' }],
      box: [1, 2, 3, 4],
    },
    objectType,
  )
  expect(view).toEqual({ ...EMPTY_VIEW, filters: [kept] })
})
