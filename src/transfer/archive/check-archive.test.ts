import { describe, expect, it } from 'vitest'
import { checkDefinition, checkManifest } from './read-archive.ts'

describe('the texts of an archive', () => {
  const manifest = { format: 'oqs-archive', formatVersion: 1, ontology: 'a', objectTypes: {} }

  it('are returned if they are complete', () => {
    const definition = { apiName: 'a', objectTypes: [] }
    expect(checkDefinition(definition)).toBe(definition)
    const counted = { ...manifest, objectTypes: { item: { count: 0, version: 1 } } }
    expect(checkManifest(counted)).toBe(counted)
  })

  it.each([null, [], 'a', {}, { apiName: 1, objectTypes: [] }, { apiName: 'a' }])(
    'are refused if the definition is %j',
    (definition) => {
      expect(() => checkDefinition(definition)).toThrow('is not the definition of an ontology')
    },
  )

  it('are refused if an object type is no object', () => {
    expect(() => checkDefinition({ apiName: 'a', objectTypes: [null] })).toThrow('definition.json')
  })

  it.each([
    [null, 'is not the manifest'],
    [{}, 'is not the manifest'],
    [{ ...manifest, formatVersion: 2 }, 'was written by a newer version'],
    [{ ...manifest, objectTypes: undefined }, 'lists no object types'],
    [{ ...manifest, objectTypes: [] }, 'lists no object types'],
    [{ ...manifest, objectTypes: { item: null } }, 'no valid number of objects for item'],
    [{ ...manifest, objectTypes: { item: { count: -1 } } }, 'no valid number of objects for item'],
    [{ ...manifest, objectTypes: { item: { count: 0.5 } } }, 'no valid number of objects for item'],
  ])('are refused if the manifest is %j', (value, reason) => {
    expect(() => checkManifest(value)).toThrow(reason)
  })
})
