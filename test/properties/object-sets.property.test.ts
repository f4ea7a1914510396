/**
 * Random object sets over two linked types: their pages, as of any versions, match the model. Cases
 * come in groups that share their data.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OBJECT_RID_PREFIX } from '../../src/contract/object-record.ts'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import { objectId } from '../../src/ontology/definition/rid.ts'
import type { ObjectType, Ontology } from '../../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../../src/ontology/values/read-object.ts'
import { parseObjectSet } from '../../src/query/object-set/parse-object-set.ts'
import { linkedTypesOf } from '../../src/query/query-tree.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { Cursor, ObjectStore } from '../../src/store/object-store.ts'
import { fcOptions } from '../support/fc-options.ts'
import {
  type CompanyCommit,
  companyCommits,
  OFFICES_AND_PEOPLE,
  objectSets,
  type TypeName,
} from '../support/object-set-arbitraries.ts'
import { evaluateSet, type ModelObject, type SetJson } from '../support/object-set-model.ts'
import { pageRequest } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

const CASES_PER_GROUP = 40

let place: TestStore
let store: ObjectStore
let groupsMade = 0
beforeAll(async () => {
  place = await createTestStore()
  store = await openStore(place.name)
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

interface Case {
  readonly type: TypeName
  readonly set: SetJson
  readonly size: number
  /** The state to read: how many commits are applied; undefined for the latest. */
  readonly state: number | undefined
  readonly matchEstimate: number | undefined
}

/** The objects and versions of both types after a commit. */
interface State {
  readonly objects: readonly ModelObject[]
  readonly versions: ReadonlyMap<string, number>
}

const KEYS: Readonly<Record<TypeName, string>> = { office: 'code', person: 'id' }

async function prepare(commits: readonly CompanyCommit[]) {
  groupsMade += 1
  const apiName = `company-${groupsMade}`
  const definition = { ...OFFICES_AND_PEOPLE, apiName }
  await store.saveOntology(planChange(apiName, definition, await store.readCatalogue(), randomUUID))
  const catalogue = await store.readCatalogue()
  const ontology = catalogue.find(apiName)
  if (ontology === undefined) throw new Error('not saved')
  const states: State[] = []
  for (const commit of commits) {
    states.push(await apply(ontology, catalogue.generation, states.at(-1), commit))
  }
  return { ontology, states }
}

async function apply(
  ontology: Ontology,
  basedOn: number,
  before: State | undefined,
  { type, puts, deletes }: CompanyCommit,
): Promise<State> {
  const objectType = typeIn(ontology, type)
  const key = KEYS[type]
  const readObject = objectReader(objectType)
  const changes = [
    ...puts.map((put) => ({ put: readObject(put) })),
    ...deletes.map((value) => ({ delete: readObjectKey(objectType, value).pk })),
  ]
  const { version } = await store.commit({ objectType, changes, basedOn })
  const ofType = new Map(
    (before?.objects ?? [])
      .filter((object) => object.type === type)
      .map((object) => [object.properties[key], object]),
  )
  for (const properties of puts) {
    const { pk } = readObject(properties)
    const rid = OBJECT_RID_PREFIX + objectId(objectType.rid, pk)
    ofType.set(properties[key], { type, rid, properties })
  }
  for (const value of deletes) ofType.delete(value)
  const others = (before?.objects ?? []).filter((object) => object.type !== type)
  return {
    objects: [...others, ...ofType.values()],
    versions: new Map(before?.versions).set(objectType.rid, version),
  }
}

function typeIn(ontology: Ontology, name: string): ObjectType {
  const type = ontology.objectTypes.get(name)
  if (type === undefined) throw new Error(`no type ${name}`)
  return type
}

async function check(ontology: Ontology, states: readonly State[], how: Case): Promise<void> {
  const state = how.state === undefined ? states.at(-1) : states[how.state % states.length]
  if (state === undefined) throw new Error('no state')
  const [part, ...others] = parseObjectSet(how.set, {
    ontology,
    limits: { maxDepth: 3, maxTerms: 500, maxTextLength: 100 },
    storedSet: () => undefined,
  })
  if (part === undefined || others.length > 0) throw new Error('not one part')
  const { objectType, query } = part
  expect(objectType.apiName).toBe(how.type)
  const key = KEYS[how.type]
  const expected = [...evaluateSet(how.set, state.objects)]
    .map(({ properties }) => properties[key] as string | number)
    .sort((a, b) => (a < b ? -1 : 1))

  const isPast = how.state !== undefined
  const versionOf = (type: ObjectType) => state.versions.get(type.rid) ?? 0
  const linkedTypes = linkedTypesOf(query, objectType)
  const keys: unknown[] = []
  let after: Cursor | undefined
  let totalCount: number | undefined
  let { matchEstimate } = how
  for (let more = true; more; ) {
    const page = await store.readPage(
      pageRequest(objectType, {
        query,
        after,
        version: isPast ? versionOf(objectType) : undefined,
        linkedVersions: isPast ? linkedTypes.map(versionOf) : undefined,
        maxObjects: how.size,
        includeTotalCount: totalCount === undefined && matchEstimate === undefined,
        matchEstimate,
      }),
    )
    if (page === 'reclaimed') throw new Error('reclaimed')
    if (linkedTypes.length > 0) {
      expect(page.linkedVersions).toEqual(linkedTypes.map(versionOf))
    }
    const records = JSON.parse(`[${Buffer.from(page.records)}]`) as { properties: object }[]
    keys.push(...records.map(({ properties }) => (properties as Record<string, unknown>)[key]))
    totalCount ??= page.totalCount
    matchEstimate ??= page.matchEstimate
    after = page.last
    more = page.more
    if (more) expect(page.count).toBe(how.size)
  }
  expect(keys, JSON.stringify(how)).toEqual(expected)
  const isCounted = query.kind !== 'everything' && how.matchEstimate === undefined
  if (isCounted) expect(totalCount, JSON.stringify(how)).toBe(expected.length)
}

const { numRuns, ...seed } = fcOptions(450, 200)

it('pages of every object set match the model, as of any versions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.noShrink(companyCommits),
      fc.noShrink(fc.nat()),
      async (commits, casesSeed) => {
        const { ontology, states } = await prepare(commits)
        const rids = [...new Set(states.flatMap(({ objects }) => objects.map(({ rid }) => rid)))]
        const sets = (type: TypeName) =>
          fc.record<Case>({
            type: fc.constant(type),
            set: objectSets(type, rids, 3),
            size: fc.integer({ min: 1, max: 8 }),
            state: fc.option(fc.nat(9), { nil: undefined }),
            // A wrong estimate, so that the store chooses another plan.
            matchEstimate: fc.option(fc.constantFrom(1, 1_000_000), { nil: undefined }),
          })
        const cases = fc.sample(fc.oneof(sets('office'), sets('person')), {
          numRuns: CASES_PER_GROUP,
          seed: casesSeed,
        })
        for (const how of cases) await check(ontology, states, how)
      },
    ),
    { ...seed, numRuns: Math.max(1, Math.ceil(numRuns / CASES_PER_GROUP)) },
  )
})
