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

const ODD_NAMES = ['', ' ', 'Aviation', 'aviation ', '__proto__', 'constructor', 'toString', 'size']

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

  it('does not take a family for a name, nor a name or a RID for a family', () => {
    expect(catalogue.find('gotham')).toBeUndefined()
    expect(catalogue.findByFamily('aviation')).toBeUndefined()
    expect(catalogue.findByFamily('ri.ontology.main.ontology.1')).toBeUndefined()
  })

  it('finds ontologies with odd names like any other', () => {
    expect(catalogue.find('__proto__')).toBe(odd)
    expect(catalogue.findByFamily('constructor')).toBe(odd)
    expect(findObjectType(odd, 'toString').apiName).toBe('toString')
  })

  it.each([...ODD_NAMES, 'ri.', 'ri.ontology.main.ontology.9', 'gotham'])(
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

describe('an ontology that is not there', () => {
  it('is reported with the RID or the name that was asked for', () => {
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

  it.each([...ODD_NAMES, 'Airport', 'airport/'])('is not found as %j', (name) => {
    expect(() => findObjectType(aviation, name)).toThrow(
      expect.objectContaining({
        errorName: 'ObjectTypeNotFound',
        parameters: { objectType: name },
      }),
    )
  })
})
