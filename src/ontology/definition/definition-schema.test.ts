import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { only } from '../../../test/support/refused-values.ts'
import { API_NAME_MAX_LENGTH, PROPERTIES_MAX } from '../../contract/limits.ts'
import { OntologyDefinition, StructFields } from './definition-schema.ts'
import { SCALAR_TYPES } from './property-type.ts'

const fits = new Ajv({ strict: false }).addSchema(StructFields).compile(OntologyDefinition)

const TYPE = { apiName: 'airport', primaryKey: 'id', properties: { id: { type: 'string' } } }
const LINK = { apiName: 'peer', from: 'airport', to: 'airport', foreignKey: 'id' }

const ontology = (changes: object = {}) => ({
  apiName: 'aviation',
  objectTypes: [TYPE],
  ...changes,
})
const withType = (changes: object) => ontology({ objectTypes: [{ ...TYPE, ...changes }] })
const withProperty = (property: unknown) => withType({ properties: { id: property } })

/** The JSON pointers of the schema violations. */
const misfits = (definition: unknown): readonly string[] =>
  fits(definition) ? [] : (fits.errors ?? []).map(({ instancePath }) => instancePath)

describe('the shape of a definition', () => {
  it('accepts everything that an ontology can have', () => {
    const named = { displayName: 'Name', description: 'Text' }
    const fields = { text: { type: 'string', ...named } }
    const definition = ontology({
      rid: 'ri.ontology.main.ontology.0f1f5c0e-0000-4000-8000-000000000000',
      ...named,
      families: ['gotham'],
      objectTypes: [
        {
          ...TYPE,
          ...named,
          rid: 'ri.ontology.main.object-type.1',
          titleProperty: 'id',
          retrievalLimit: 10000,
          properties: {
            id: { type: 'string', ...named },
            list: { type: 'array', items: { type: 'string', ...named } },
            struct: { type: 'struct', fields },
            structs: { type: 'array', items: { type: 'struct', fields } },
          },
        },
      ],
      linkTypes: [{ ...LINK, ...named, reverseApiName: 'peers' }],
    })
    expect(misfits(definition)).toEqual([])
  })

  it.each([null, 'aviation', [], {}, { apiName: 'aviation' }, { objectTypes: [] }].map(only))(
    'is never %j',
    (definition) => {
      expect(misfits(definition)).toEqual([''])
    },
  )

  it.each(SCALAR_TYPES)('knows the type %s', (type) => {
    expect(misfits(withProperty({ type }))).toEqual([])
  })

  it.each(['String', 'int', 'vector', 'struct ', '', '__proto__', null, 1, ['string']].map(only))(
    'knows no type %j',
    (type) => {
      expect(misfits(withProperty({ type }))).toContain('/objectTypes/0/properties/id/type')
    },
  )

  it('has no arrays in arrays, at any depth', () => {
    const nested = { type: 'array', items: { type: 'array', items: { type: 'string' } } }
    expect(misfits(withProperty(nested))).not.toEqual([])
    const struct = (a: unknown) => ({ type: 'struct', fields: { a } })
    const deep = struct(struct({ type: 'array', items: struct(nested) }))
    expect(misfits(withProperty(deep))).toEqual([
      '/objectTypes/0/properties/id/fields/a/fields/a/items/fields/a/items',
    ])
  })

  it('checks the fields of structs in structs like others', () => {
    const struct = (fields: object) => ({
      type: 'struct',
      fields: { a: { type: 'struct', fields } },
    })
    const path = '/objectTypes/0/properties/id/fields/a/fields'
    expect(misfits(withProperty(struct({ b: { type: 'string', description: 'Text' } })))).toEqual(
      [],
    )
    expect(misfits(withProperty(struct({})))).toEqual([path])
    expect(misfits(withProperty(struct({ 'b c': { type: 'string' } })))).toEqual([path])
    expect(misfits(withProperty(struct({ b: { type: 'text' } })))).toEqual([`${path}/b/type`])
    expect(misfits(withProperty(struct({ b: { type: 'string', size: 1 } })))).toEqual([`${path}/b`])
  })

  it.each([
    ['', ontology({ version: 1 })],
    ['/objectTypes/0', withType({ version: 1 })],
    ['/objectTypes/0/properties/id', withProperty({ type: 'string', nullable: true })],
    [
      '/objectTypes/0/properties/id/items',
      withProperty({ type: 'array', items: { type: 'string', items: {} } }),
    ],
    ['/linkTypes/0', ontology({ linkTypes: [{ ...LINK, version: 1 }] })],
  ])('has no unknown members at %j', (path, definition) => {
    expect(misfits(definition)).toEqual([path])
  })

  it('limits the number of properties, and requires at least one', () => {
    const properties = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }]))
    expect(misfits(withType({ properties: properties(PROPERTIES_MAX) }))).toEqual([])
    for (const count of [0, PROPERTIES_MAX + 1]) {
      expect(misfits(withType({ properties: properties(count) }))).toEqual([
        '/objectTypes/0/properties',
      ])
    }
  })

  it.each([1, 10_000, 'none'])('accepts the retrieval limit %j', (retrievalLimit) => {
    expect(misfits(withType({ retrievalLimit }))).toEqual([])
  })

  it.each([0, -1, 1.5, '10', 'None', '', null, true])(
    'takes no retrieval limit %j',
    (retrievalLimit) => {
      expect(misfits(withType({ retrievalLimit }))).toEqual(['/objectTypes/0/retrievalLimit'])
    },
  )
})

describe('names in a definition', () => {
  /** A definition for each kind of name, with the given name. */
  const places: Readonly<Record<string, (name: string) => unknown>> = {
    'an ontology': (apiName) => ontology({ apiName }),
    'a family': (family) => ontology({ families: [family] }),
    'an object type': (apiName) => withType({ apiName }),
    'a property': (name) =>
      withType({ properties: JSON.parse(`{${JSON.stringify(name)}:{"type":"string"}}`) }),
    'a field': (name) =>
      withProperty({
        type: 'struct',
        fields: JSON.parse(`{${JSON.stringify(name)}:{"type":"string"}}`),
      }),
    'a link': (apiName) => ontology({ linkTypes: [{ ...LINK, apiName }] }),
    'the other side of a link': (reverseApiName) =>
      ontology({ linkTypes: [{ ...LINK, reverseApiName }] }),
  }

  describe.each(Object.entries(places))('of %s', (_kind, definition) => {
    it.each(['a', 'A-b_c.9', '0', '.a', 'a.', '...a', '__proto__', 'constructor', '-', '_'])(
      'may be %j',
      (name) => {
        expect(misfits(definition(name))).toEqual([])
      },
    )

    it.each(['', '.', '..', '...', 'a b', 'a/b', 'a%2Fb', 'a\n', '\na', 'ä', 'a"b', 'a\0', '😀'])(
      'are never %j, which a path cannot hold',
      (name) => {
        expect(misfits(definition(name))).not.toEqual([])
      },
    )

    it('have a maximum length', () => {
      expect(misfits(definition('a'.repeat(API_NAME_MAX_LENGTH)))).toEqual([])
      expect(misfits(definition('a'.repeat(API_NAME_MAX_LENGTH + 1)))).not.toEqual([])
    })
  })

  it('of an ontology cannot look like a RID', () => {
    expect(misfits(ontology({ apiName: 'ri.x' }))).toEqual(['/apiName'])
    expect(misfits(ontology({ apiName: 'ri' }))).toEqual([])
    expect(misfits(withType({ apiName: 'ri.x' }))).toEqual([])
  })

  it.each(['admin', 'v1', 'v2'])('of a family are never %s, which other paths use', (name) => {
    expect(misfits(ontology({ families: [name] }))).toEqual(['/families/0'])
    expect(misfits(ontology({ families: [`${name}x`, `x${name}`] }))).toEqual([])
  })
})

describe('RIDs in a definition', () => {
  const WRONG = ['', 'x', 'ri.ontology.main.ontology.', 'ri.ontology.main.ontology.a b', 'ri.x']

  it.each([...WRONG, 'ri.ontology.main.object-type.1', 'ri.ontology.main.ontology.a\n'])(
    'of an ontology are never %j',
    (rid) => {
      expect(misfits(ontology({ rid }))).toEqual(['/rid'])
    },
  )

  it.each([...WRONG, 'ri.ontology.main.ontology.1'])('of an object type are never %j', (rid) => {
    expect(misfits(withType({ rid }))).toEqual(['/objectTypes/0/rid'])
  })
})
