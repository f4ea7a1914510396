import { describe, expect, it } from 'vitest'
import { Catalogue, findObjectType, ontologyNotFound } from './catalogue.ts'
import { parseDefinition } from './definition/parse-definition.ts'

const aviation = parseDefinition({
  apiName: 'aviation',
  rid: 'ri.ontology.main.ontology.1',
  families: ['gotham', 'air'],
  objectTypes: [{ apiName: 'airport', primaryKey: 'id', properties: { id: { type: 'string' } } }],
})
const odd = parseDefinition({
  apiName: '__proto__',
  rid: 'ri.ontology.main.ontology.2',
  families: ['constructor'],
  objectTypes: [{ apiName: 'toString', primaryKey: 'id', properties: { id: { type: 'string' } } }],
})

const UNUSUAL_NAMES = [
  '',
  ' ',
  'Aviation',
  'aviation ',
  '__proto__',
  'constructor',
  'toString',
  'size',
]

describe('a catalogue', () => {
  const catalogue = new Catalogue(3, [aviation, odd])

  it('finds an ontology by its name and by its RID', () => {
    expect(catalogue.find('aviation')).toBe(aviation)
    expect(catalogue.find('ri.ontology.main.ontology.1')).toBe(aviation)
  })

  it('finds an ontology by each of its families', () => {
    expect(catalogue.findByFamily('gotham')).toBe(aviation)
    expect(catalogue.findByFamily('air')).toBe(aviation)
  })

  it('does not confuse families with names or RIDs', () => {
    expect(catalogue.find('gotham')).toBeUndefined()
    expect(catalogue.findByFamily('aviation')).toBeUndefined()
    expect(catalogue.findByFamily('ri.ontology.main.ontology.1')).toBeUndefined()
  })

  it('finds ontologies with unusual names', () => {
    expect(catalogue.find('__proto__')).toBe(odd)
    expect(catalogue.findByFamily('constructor')).toBe(odd)
    expect(findObjectType(odd, 'toString').apiName).toBe('toString')
  })

  it.each([...UNUSUAL_NAMES, 'ri.', 'ri.ontology.main.ontology.9', 'gotham'])(
    'finds nothing under %j when it is not there',
    (name) => {
      const plain = new Catalogue(3, [aviation])
      expect(plain.find(name)).toBeUndefined()
      expect(new Catalogue(0, []).findByFamily(name)).toBeUndefined()
    },
  )

  it('knows its generation and all its ontologies', () => {
    expect(catalogue.generation).toBe(3)
    expect(catalogue.ontologies).toEqual([aviation, odd])
  })
})

describe('an unknown ontology', () => {
  it('is reported with the requested RID or name', () => {
    expect(ontologyNotFound('ri.ontology.main.ontology.9')).toMatchObject({
      errorName: 'OntologyNotFound',
      parameters: { ontologyRid: 'ri.ontology.main.ontology.9' },
    })
    expect(ontologyNotFound('rail')).toMatchObject({
      errorName: 'OntologyNotFound',
      parameters: { apiName: 'rail' },
    })
  })
})

describe('an object type', () => {
  it('is found by its name', () => {
    expect(findObjectType(aviation, 'airport').primaryKey.apiName).toBe('id')
  })

  it.each([...UNUSUAL_NAMES, 'Airport', 'airport/'])('is not found as %j', (name) => {
    expect(() => findObjectType(aviation, name)).toThrow(
      expect.objectContaining({
        errorName: 'ObjectTypeNotFound',
        parameters: { objectType: name },
      }),
    )
  })
})
