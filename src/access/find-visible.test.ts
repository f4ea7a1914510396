import { describe, expect, it } from 'vitest'
import { failure } from '../../test/support/parsed-queries.ts'
import { Catalogue } from '../ontology/catalogue.ts'
import { parseDefinition } from '../ontology/definition/parse-definition.ts'
import { EVERYTHING } from '../query/query.ts'
import { ADMIN, toCaller } from './caller-rights.ts'
import {
  resolveFamilyPath,
  resolveInterfacePath,
  resolveTypePath,
  resolveWrittenPath,
} from './find-visible.ts'
import { restrictType } from './ruled-objects.ts'

const RID = 'ri.ontology.main.ontology.staff'
const STAFF = parseDefinition({
  apiName: 'staff',
  rid: RID,
  families: ['people'],
  interfaceTypes: [{ apiName: 'Named' }],
  objectTypes: [
    {
      apiName: 'person',
      rid: 'ri.ontology.main.object-type.person',
      primaryKey: 'id',
      properties: { id: { type: 'string' } },
    },
  ],
})
const PERSON = STAFF.objectTypes.get('person')
const catalogue = new Catalogue(1, [STAFF])
const admin = { catalogue, caller: ADMIN }
const stranger = {
  catalogue,
  caller: toCaller({ ...ADMIN, ontologies: ['other'] }, ADMIN.credential),
}

describe('a path', () => {
  it.each(['staff', RID])('names an object type of %s', (ontology) => {
    const resolved = { ontology: STAFF, objectType: PERSON }
    expect(resolveTypePath(admin, { ontology, objectType: 'person' })).toEqual(resolved)
    expect(resolveWrittenPath(admin, { ontology, objectType: 'person' })).toEqual(resolved)
  })

  it('names an object type of a family', () => {
    const path = { apiFamily: 'people', objectType: 'person' }
    expect(resolveFamilyPath(admin, path)).toEqual({ ontology: STAFF, objectType: PERSON })
  })

  it('names an interface type', () => {
    const path = { ontology: 'staff', interfaceType: 'Named' }
    expect(resolveInterfacePath(admin, path)).toEqual({
      ontology: STAFF,
      interfaceType: STAFF.interfaceTypes.get('Named'),
    })
  })

  it('of a hidden ontology is not found, like that of a missing one', () => {
    const hidden = failure('OntologyNotFound', { apiName: 'staff' })
    const type = { ontology: 'staff', objectType: 'person' }
    expect(() => resolveTypePath(stranger, type)).toThrow(hidden)
    expect(() => resolveWrittenPath(stranger, type)).toThrow(hidden)
    expect(() => resolveTypePath(admin, { ...type, ontology: 'none' })).toThrow(
      failure('OntologyNotFound', { apiName: 'none' }),
    )
    expect(() => resolveTypePath(stranger, { ...type, ontology: RID })).toThrow(
      failure('OntologyNotFound', { ontologyRid: RID }),
    )
    const view = { ontology: 'staff', interfaceType: 'Named' }
    expect(() => resolveInterfacePath(stranger, view)).toThrow(hidden)
    const family = { apiFamily: 'people', objectType: 'person' }
    expect(() => resolveFamilyPath(stranger, family)).toThrow(
      failure('OntologyNotFound', { apiFamily: 'people' }),
    )
    expect(() => resolveFamilyPath(admin, { ...family, apiFamily: 'none' })).toThrow(
      failure('OntologyNotFound', { apiFamily: 'none' }),
    )
  })

  it('of a type that the caller may not write is refused', () => {
    if (PERSON === undefined) throw new Error('the definition has no person')
    const types = new Map([
      ['person', restrictType(PERSON, { of: PERSON, rows: EVERYTHING, shown: undefined })],
    ])
    const reader = {
      caller: ADMIN,
      catalogue: new Catalogue(1, [{ ...STAFF, objectTypes: types }]),
    }
    const path = { ontology: 'staff', objectType: 'person' }
    expect(resolveTypePath(reader, path).objectType.apiName).toBe('person')
    expect(() => resolveWrittenPath(reader, path)).toThrow(
      failure('ApiUsageDenied', {
        objectType: 'person',
        reason: 'the policies of the token allow reading only',
      }),
    )
  })
})
