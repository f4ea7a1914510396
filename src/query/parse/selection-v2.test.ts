import { describe, expect, it } from 'vitest'
import { AIRPORT, failure, unprocessable } from '../../../test/support/parsed-queries.ts'
import { parseSelection, type WrittenSelection } from './selection-v2.ts'

const property = (apiName: string) => ({ type: 'property', apiName })

describe('a selection', () => {
  it.each<[WrittenSelection, readonly string[] | undefined]>([
    [{}, undefined],
    [{ select: null, selectV2: null }, undefined],
    [{ select: [], selectV2: [] }, undefined],
    [{ select: ['runways', 'name'] }, ['id', 'name', 'runways']],
    [{ select: [], selectV2: [property('runways')] }, ['id', 'runways']],
    [{ selectV2: [{ type: 'titleProperty' }, property('address')] }, ['id', 'name', 'address']],
  ])('%j is parsed', (written, selection) => {
    expect(parseSelection(written, AIRPORT)).toEqual(selection)
  })

  const structField = (index: number) =>
    failure('Default:InvalidArgument', {
      parameter: `selectV2[${index}].type`,
      reason: 'a single field of a struct cannot be selected; select its property',
    })

  it.each<[WrittenSelection, unknown]>([
    [
      { select: ['name'], selectV2: [property('name')] },
      failure('InvalidParameterCombination', {
        validCombinations: [['select'], ['selectV2']],
        providedParameters: ['select', 'selectV2'],
      }),
    ],
    [
      { selectV2: [property('nme')] },
      failure('PropertiesNotFound', { objectType: 'airport', properties: ['nme'] }),
    ],
    [{ selectV2: ['name'] }, unprocessable('selectV2[0]', 'is not a property identifier')],
    [{ selectV2: [property('name'), property('address.city')] }, structField(1)],
    [
      {
        selectV2: [{ type: 'structField', propertyApiName: 'address', structFieldApiName: 'town' }],
      },
      structField(0),
    ],
  ])('%j is refused', (written, refusal) => {
    expect(() => parseSelection(written, AIRPORT)).toThrow(refusal)
  })
})
