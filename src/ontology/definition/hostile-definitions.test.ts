import { describe, expect, it } from 'vitest'
import { Catalogue } from '../catalogue.ts'
import { planChange } from './change-definition.ts'
import type { ObjectTypeDefinition } from './definition-schema.ts'
import { parseDefinition } from './parse-definition.ts'
import { type ScalarType, staysValid } from './property-type.ts'

const TYPE: ObjectTypeDefinition = {
  apiName: 'airport',
  rid: 'ri.ontology.main.object-type.1',
  primaryKey: 'id',
  properties: { id: { type: 'string' } },
}
const RID = 'ri.ontology.main.ontology.1'
const catalogue = new Catalogue(1, [
  parseDefinition({ apiName: 'aviation', rid: RID, objectTypes: [TYPE] }),
])
const mistakes = (...list: object[]) =>
  expect.objectContaining({
    errorName: 'InvalidOntologyDefinition',
    parameters: { mistakes: list.map((mistake) => expect.objectContaining(mistake)) },
  })

describe('changing a definition', () => {
  it('never takes over an ontology by naming its RID under another name', () => {
    const hijack = { apiName: 'other', rid: RID, objectTypes: [] }
    expect(() => planChange('other', hijack, catalogue, () => 'new')).toThrow(
      mistakes({ path: 'rid' }),
    )
  })

  it.each(['ri.x', 'ri.', 'ri.ontology.main.object-type.1', `${RID} "<`])(
    'never creates an ontology with the invalid RID %j',
    (rid) => {
      const definition = { apiName: 'other', objectTypes: [] }
      expect(() => planChange(rid, definition, catalogue, () => 'new')).toThrow(
        mistakes({ path: 'rid' }),
      )
    },
  )

  it('is refused if an object type would get another RID', () => {
    const type = { ...TYPE, rid: 'ri.ontology.main.object-type.2' }
    const definition = { apiName: 'aviation', objectTypes: [type] }
    expect(() => planChange('aviation', definition, catalogue, () => 'new')).toThrow(
      mistakes({ path: 'objectTypes[0].rid' }),
    )
  })
})

describe('mistakes in a definition', () => {
  it('in the key and in the title are reported together', () => {
    const type = { ...TYPE, primaryKey: 'x', titleProperty: 'y' }
    expect(() => parseDefinition({ apiName: 'a', objectTypes: [type] })).toThrow(
      expect.objectContaining({
        parameters: {
          mistakes: expect.arrayContaining([
            { path: 'objectTypes[0].primaryKey', reason: 'the object type has no property x' },
            { path: 'objectTypes[0].titleProperty', reason: 'the object type has no property y' },
          ]),
        },
      }),
    )
  })

  it('do not hide a type that is defined twice', () => {
    const bad = { ...TYPE, primaryKey: 'x' }
    expect(() => parseDefinition({ apiName: 'a', objectTypes: [bad, TYPE] })).toThrow(
      mistakes({ path: 'objectTypes[0].primaryKey' }, { path: 'objectTypes[1].apiName' }),
    )
  })
})

describe('widening', () => {
  it('of small numbers keeps stored objects, narrowing and re-encoding does not', () => {
    const scalar = (type: ScalarType) => ({ kind: 'scalar', type }) as const
    expect(staysValid(scalar('byte'), scalar('integer'))).toBe(true)
    expect(staysValid(scalar('float'), scalar('double'))).toBe(true)
    expect(staysValid(scalar('integer'), scalar('short'))).toBe(false)
    // A long is a JSON string, an integer a number: stored text would be invalid.
    expect(staysValid(scalar('integer'), scalar('long'))).toBe(false)
  })
})
