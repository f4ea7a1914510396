import { expect, it } from 'vitest'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { downloadRequest } from './export-request.ts'

const objectType = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, spot: { type: 'geopoint' } },
} as const
const ontology = { apiName: 'world', rid: 'o', objectTypes: [objectType] }
const options = { format: 'csv', isShownOnly: true, version: 7 } as const

it('exports all matches of the view, with its columns, its order and its snapshot', () => {
  const view = {
    ...EMPTY_VIEW,
    filters: [{ field: 'name', operator: 'eq' as const, value: 'x' }],
    columns: ['name'],
    order: [
      { property: 'name', direction: 'desc' as const },
      { property: 'id', direction: 'asc' as const },
    ],
    isSnapshot: true,
  }
  expect(downloadRequest({ ontology, objectType, view }, options).json).toEqual({
    ontology: 'world',
    objectType: 'city',
    format: 'csv',
    whereV2: { type: 'eq', field: 'name', value: 'x' },
    orderBy: 'properties.name:desc,properties.id:asc',
    select: ['id', 'name'],
    version: 7,
  })
})

it('exports the newest objects unless a snapshot is in view', () => {
  const of = { ontology, objectType, view: EMPTY_VIEW }
  expect(downloadRequest(of, options).json).toEqual({
    ontology: 'world',
    objectType: 'city',
    format: 'csv',
  })
})
