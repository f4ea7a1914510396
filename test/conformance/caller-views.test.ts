/** Which parts of what policies lead to are kept for later requests. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Caller } from '../../src/access/caller-rights.ts'
import type { Right } from '../../src/access/policies/policy.ts'
import { CallerViews } from '../../src/access/policies/view-cache.ts'
import type { CallerView } from '../../src/access/policies/view-ontology.ts'
import { nextTurn } from '../../src/admission/next-turn.ts'
import { Catalogue } from '../../src/ontology/catalogue.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../src/ontology/definition/parse-definition.ts'
import { OntologyCache } from '../../src/ontology/ontology-cache.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

const LAB = parseDefinition({
  apiName: 'lab',
  rid: 'ri.ontology.main.ontology.lab',
  objectTypes: [
    {
      apiName: 'sample',
      rid: 'ri.ontology.main.object-type.sample',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, owner: { type: 'string' } },
    },
  ],
})
const NOW = 1_000

const caller = (name: string, email?: string): Caller => ({
  id: `id of ${name}`,
  name,
  profile: { email },
  scopes: [],
  ontologies: undefined,
  expiresAtMs: undefined,
  credential: { kind: 'openId' },
  mayUse: () => true,
  maySee: () => true,
  mayAdminister: () => false,
})
const rule = (value: string) => ({ where: { type: 'eq', field: 'owner', value } })

describe('views of callers', () => {
  let place: TestStore
  let store: ObjectStore
  let views: CallerViews
  beforeAll(async () => {
    place = await createTestStore()
    store = await openStore(place.name)
  })
  let definitions: OntologyCache<CallerView>
  beforeEach(() => {
    definitions = new OntologyCache(1_000_000)
    definitions.add('lab', LAB, { bytes: 1000, callerId: 'anyone' })
    views = new CallerViews({
      documents: store.documents,
      definitions,
      limits: { maxDepth: 3, maxTerms: 100, maxTextLength: 1000 },
      providerClaims: [],
      now: () => NOW,
    })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const save = (id: string, more: Pick<Right, 'where' | 'hide'>) => {
    const right = { ontology: 'lab', objectType: 'sample', access: 'read', ...more }
    return store.documents.put({
      kind: 'policy',
      id,
      body: { rights: [right] },
      expiresAtMs: undefined,
    })
  }
  const see = async (policy: string, by: Caller, ontology = LAB) => {
    const policies = await views.read([[policy]])
    const viewer = { caller: by, catalogue: new Catalogue(1, [ontology]) }
    return (await views.limit(viewer, policies)).catalogue.ontologies
  }

  it('are shared by callers whose claims make no difference', async () => {
    await save('fixed', rule('ada'))
    const seen = await see('fixed', caller('ada'))
    expect(seen).toHaveLength(1)
    expect((await see('fixed', caller('bob')))[0]).toBe(seen[0])
    await save('own', rule('$caller.name'))
    expect((await see('own', caller('bob')))[0]).not.toBe(seen[0])
    expect((await see('own', caller('ada')))[0]).toBe(seen[0])
  })

  it('are made one in each round of the event loop, however many callers wait', async () => {
    await save('each', rule('$caller.name'))
    let made = 0
    const names = Array.from({ length: 8 }, (_, number) => `caller ${number}`)
    const seen = names.map(async (name) => {
      await see('each', caller(name))
      made += 1
    })
    while (made < names.length) {
      const before = made
      await nextTurn()
      expect(made - before).toBeLessThanOrEqual(1)
    }
    await Promise.all(seen)
  })

  it('take as much memory as they differ from those of other callers', async () => {
    const types = Array.from({ length: 600 }, (_, n) => ({
      ...LAB.definition.objectTypes[0],
      apiName: `sample${n}`,
      rid: `ri.ontology.main.object-type.sample${n}`,
    }))
    const large = parseDefinition({ ...LAB.definition, objectTypes: types } as OntologyDefinition)
    definitions.add('lab', large, { bytes: 1000, callerId: 'anyone' })
    const rights = [
      { ontology: 'lab', objectType: 'sample7', access: 'read', ...rule('$caller.name') },
      { ontology: 'lab', objectType: '*', access: 'read' },
    ]
    const body = { rights }
    await store.documents.put({ kind: 'policy', id: 'large', body, expiresAtMs: undefined })
    const [first] = await see('large', caller('ada'), large)
    const bytes = definitions.bytes
    for (let n = 0; n < 20; n += 1) {
      const [seen] = await see('large', caller(`caller ${n}`), large)
      expect(seen?.objectTypes.get('sample8')).toBe(first?.objectTypes.get('sample8'))
      expect(seen?.objectTypes.get('sample7')).not.toBe(first?.objectTypes.get('sample7'))
      expect(seen?.viewId).not.toBe(first?.viewId)
    }
    expect(definitions.bytes - bytes).toBeLessThan(20 * 10_000)
  })

  it('differ between a caller without a claim and a right that needs none', async () => {
    await save('mail', rule('$caller.email'))
    await save('all', {})
    expect(await see('mail', caller('ada'))).toEqual([])
    expect(await see('all', caller('ada'))).toHaveLength(1)
    expect(await see('mail', caller('ada', 'ada@example.org'))).toHaveLength(1)
  })

  it('do not take policies from the cache after all of them were deleted', async () => {
    const names = [['deleted']]
    await save('deleted', {})
    const read = await views.read(names)
    // SQLite reads policies for every request, because that costs little.
    expect(views.cached(names, undefined)).toBe(inject('store') === 'sqlite' ? undefined : read)
    await store.documents.delete('policy', 'deleted')
    expect((await views.read(names)).lists).toEqual([[]])
    expect(views.cached(names, undefined)).toBeUndefined()
  })
})
