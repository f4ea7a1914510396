import { describe, expect, it } from 'vitest'
import { failure } from '../../test/support/parsed-queries.ts'
import { Catalogue } from '../ontology/catalogue.ts'
import type { OntologyDefinition } from '../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../ontology/definition/parse-definition.ts'
import { ADMIN, toCaller } from './caller-rights.ts'
import { checkNames } from './check-names.ts'

const rid = (name: string) => `ri.ontology.main.ontology.${name}`
const typeRid = (name: string) => `ri.ontology.main.object-type.${name}`
const definition = (name: string, more: Partial<OntologyDefinition> = {}): OntologyDefinition => ({
  apiName: name,
  objectTypes: [{ apiName: 'thing', primaryKey: 'id', properties: { id: { type: 'string' } } }],
  ...more,
})
const withType = (name: string): Partial<OntologyDefinition> => ({
  objectTypes: definition(name).objectTypes.map((type) => ({ ...type, rid: typeRid(name) })),
})
const full = (name: string) =>
  parseDefinition(
    definition(name, { rid: rid(name), families: [`${name}-family`], ...withType(name) }),
  )
const catalogue = new Catalogue(1, [full('own'), full('hidden')])

const check = (list: readonly string[] | undefined, path: string, sent: OntologyDefinition) => {
  const caller = toCaller({ ...ADMIN, ontologies: list }, ADMIN.credential)
  return () => checkNames(caller, path, sent, catalogue)
}

describe('a definition of a limited token', () => {
  it.each<[readonly string[] | undefined, string, OntologyDefinition]>([
    [undefined, 'hidden', definition('new', { families: ['new'], ...withType('new') })],
    [['own'], 'own', definition('own')],
    [['own'], rid('own'), definition('own', { rid: rid('own') })],
    [[rid('own')], 'own', definition('own', { families: ['own-family'], ...withType('own') })],
    [['own', 'new'], 'own', definition('new')],
    [['new'], 'new', definition('new')],
  ])('of %j can change %s', (list, path, sent) => {
    expect(check(list, path, sent)).not.toThrow()
  })

  it.each<[string, string, OntologyDefinition]>([
    ['ontology', 'hidden', definition('own')],
    ['ontology', 'free', definition('free')],
    ['apiName', 'own', definition('hidden')],
    ['apiName', 'own', definition('free')],
    ['rid', 'own', definition('own', { rid: rid('hidden') })],
    ['families[1]', 'own', definition('own', { families: ['own-family', 'hidden-family'] })],
    ['families[0]', 'new', definition('new', { families: ['own-family'] })],
    ['objectTypes[0].rid', 'own', definition('own', withType('hidden'))],
    ['objectTypes[0].rid', 'new', definition('new', withType('own'))],
  ])('cannot use a name of others as %s of %s', (parameter, path, sent) => {
    const reason = 'the token is limited to other ontologies'
    expect(check(['own', 'new'], path, sent)).toThrow(
      failure('ApiUsageDenied', { parameter, reason }),
    )
  })

  it('does not learn the names of an ontology that it does not see', () => {
    expect(check(['new'], 'new', definition('own'))).toThrow(
      expect.objectContaining({ errorName: 'ApiUsageDenied' }),
    )
    expect(check([rid('hidden')], 'own', definition('own'))).toThrow(
      expect.objectContaining({ parameters: expect.objectContaining({ parameter: 'ontology' }) }),
    )
  })
})
