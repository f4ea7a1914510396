import { expect, it } from 'vitest'
import type { PropertyDefinition } from '../api/ontology.ts'
import { pictureOf } from './picture-of.ts'

const choose = (properties: Readonly<Record<string, PropertyDefinition>>) => {
  const type = { apiName: 't', rid: 'r', primaryKey: 'id', titleProperty: 'name' }
  const objectType = { ...type, properties }
  const link = { apiName: 'owner', from: 't', to: 't', foreignKey: 'owner' }
  const ontology = { apiName: 'o', rid: 'o', objectTypes: [objectType], linkTypes: [link] }
  return pictureOf({ ontology, objectType })
}

it('chooses a map, then times, then numbers, then values', () => {
  const id = { type: 'integer' } as const
  const name = { type: 'string' } as const
  const size = { type: 'long' } as const
  const day = { type: 'date' } as const
  const spot = { type: 'geopoint' } as const
  expect(choose({ id, name, size, day, spot })).toEqual({ kind: 'map', property: 'spot' })
  expect(choose({ id, name, size, day })).toEqual({ kind: 'bars', property: 'day' })
  expect(choose({ id, name, size })).toEqual({ kind: 'bars', property: 'size' })
  expect(choose({ id, name, kind: name })).toEqual({ kind: 'bars', property: 'kind' })
  expect(choose({ id, name })).toBeUndefined()
  // A histogram of keys says nothing.
  expect(choose({ id, name, owner: size, zipCode: size, size })?.property).toBe('size')
  expect(choose({ id, name, owner: name, kind: name })?.property).toBe('kind')
  expect(choose({ id, name, owner: size })).toBeUndefined()
  expect(choose({ id, name, owner: name })?.property).toBe('owner')
})
