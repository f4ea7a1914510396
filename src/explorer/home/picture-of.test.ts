import { expect, it } from 'vitest'
import type { PropertyDefinition } from '../api/ontology.ts'
import { pictureOf } from './picture-of.ts'

const choose = (properties: Readonly<Record<string, PropertyDefinition>>) =>
  pictureOf({ apiName: 't', rid: 'r', primaryKey: 'id', titleProperty: 'name', properties })

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
})
