/** Followers copy what they see, while others write: each copy equals a listing after every catch-up. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'

const ONTOLOGY = {
  apiName: 'followed',
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' as const },
        group: { type: 'string' as const },
        ownerId: { type: 'integer' as const },
      },
    },
    {
      apiName: 'owner',
      primaryKey: 'id',
      properties: { id: { type: 'integer' as const }, group: { type: 'string' as const } },
    },
  ],
  linkTypes: [
    {
      apiName: 'owner',
      reverseApiName: 'things',
      from: 'thing',
      to: 'owner',
      foreignKey: 'ownerId',
    },
  ],
}

interface Thing {
  readonly id: number
}

/** How a follower reads: the records of a listing, and a page of changes. */
interface Reading {
  readonly name: string
  /** The policy of its caller; by default, it sees everything. */
  readonly policy?: keyof typeof POLICIES
  readonly list: (page: string) => [path: string, options?: SendOptions]
  readonly follow: (since: string, page: string) => [path: string, options?: SendOptions]
  readonly read: (record: never) => Thing
}

const V1 = '/api/v1/ontologies/followed'
const V2 = '/api/v2/ontologies/followed'
const ofRevision1 = ({ properties }: { properties: Thing }) => properties
const ofV2 = ({ __primaryKey, __apiName, __rid, __title, ...thing }: Record<string, unknown>) =>
  thing
/** Walks over several types begin these members with `$`. */
const ofSet = ({ $primaryKey, $apiName, $rid, $title, ...thing }: Record<string, unknown>) =>
  ofV2(thing)
const WHERE = { type: 'eq', field: 'group', value: 'b' }
const THINGS_OF_OWNERS = {
  type: 'searchAround',
  objectSet: {
    type: 'filter',
    objectSet: { type: 'base', objectType: 'owner' },
    where: { type: 'eq', field: 'group', value: 'a' },
  },
  link: 'things',
}
const THINGS_OF_VISIBLE_OWNERS = {
  type: 'searchAround',
  objectSet: { type: 'base', objectType: 'owner' },
  link: 'things',
}
const THINGS_AND_OWNERS = {
  type: 'union',
  objectSets: [
    { type: 'filter', objectSet: { type: 'base', objectType: 'thing' }, where: WHERE },
    { type: 'base', objectType: 'owner' },
  ],
}
const parts = (page: string) => Object.fromEntries(new URLSearchParams(page))
const numbered = (page: string) => {
  const { pageSize, ...others } = parts(page)
  return { ...others, ...(pageSize === undefined ? {} : { pageSize: Number(pageSize) }) }
}

const IN_GROUP_A = { type: 'eq', field: 'group', value: 'a' }
const POLICIES = {
  someThings: [{ objectType: 'thing', where: IN_GROUP_A }],
  someOwners: [{ objectType: 'thing' }, { objectType: 'owner', where: IN_GROUP_A }],
  noGroups: [{ objectType: 'thing', hide: ['group'] }],
}

const READINGS: readonly Reading[] = [
  {
    name: 'all objects',
    list: (page) => [`${V1}/objects/thing?snapshot=true&${page}`],
    follow: (since, page) => [`${V1}/changes/thing?since=${since}&${page}`],
    read: ofRevision1 as never,
  },
  {
    name: 'a filter',
    list: (page) => [`${V1}/objects/thing?snapshot=true&properties.group.eq=a&${page}`],
    follow: (since, page) => [`${V1}/changes/thing?since=${since}&properties.group.eq=a&${page}`],
    read: ofRevision1 as never,
  },
  {
    name: 'a selection of v2',
    list: (page) => [`${V2}/objects/thing?snapshot=true&select=id,group&${page}`],
    follow: (since, page) => [`${V2}/changes/thing?since=${since}&select=id,group&${page}`],
    read: ofV2 as never,
  },
  {
    name: 'a search',
    list: (page) => [
      `${V2}/objects/thing/search`,
      { json: { where: WHERE, snapshot: true, ...numbered(page) } },
    ],
    follow: (since, page) => [
      `${V2}/changes/thing`,
      { json: { where: WHERE, since, ...numbered(page) } },
    ],
    read: ofV2 as never,
  },
  {
    name: 'a set across a link',
    list: (page) => [
      `${V2}/objectSets/loadObjects`,
      { json: { objectSet: THINGS_OF_OWNERS, snapshot: true, ...numbered(page) } },
    ],
    follow: (since, page) => [
      `${V2}/objectSets/changes`,
      { json: { objectSet: THINGS_OF_OWNERS, since, ...numbered(page) } },
    ],
    read: ofV2 as never,
  },
  {
    name: 'a set of two types',
    list: (page) => [
      `${V2}/objectSets/loadObjectsMultipleObjectTypes`,
      { json: { objectSet: THINGS_AND_OWNERS, snapshot: true, ...numbered(page) } },
    ],
    follow: (since, page) => [
      `${V2}/objectSets/changes`,
      { json: { objectSet: THINGS_AND_OWNERS, since, ...numbered(page) } },
    ],
    read: ofSet as never,
  },
  {
    name: 'a rule on objects',
    policy: 'someThings',
    list: (page) => [`${V1}/objects/thing?snapshot=true&${page}`],
    follow: (since, page) => [`${V1}/changes/thing?since=${since}&${page}`],
    read: ofRevision1 as never,
  },
  {
    name: 'a hidden property',
    policy: 'noGroups',
    list: (page) => [`${V1}/objects/thing?snapshot=true&${page}`],
    follow: (since, page) => [`${V1}/changes/thing?since=${since}&${page}`],
    read: ofRevision1 as never,
  },
  {
    name: 'a rule on linked objects',
    policy: 'someOwners',
    list: (page) => [
      `${V2}/objectSets/loadObjects`,
      { json: { objectSet: THINGS_OF_VISIBLE_OWNERS, snapshot: true, ...numbered(page) } },
    ],
    follow: (since, page) => [
      `${V2}/objectSets/changes`,
      { json: { objectSet: THINGS_OF_VISIBLE_OWNERS, since, ...numbered(page) } },
    ],
    read: ofV2 as never,
  },
]

const id = fc.integer({ min: 0, max: 12 })
const group = fc.constantFrom('a', 'b', 'c')
const thing = fc.record({ id, group, ownerId: fc.integer({ min: 0, max: 3 }) })
const change = fc.oneof(
  { weight: 3, arbitrary: thing.map((put) => ({ put })) },
  { weight: 1, arbitrary: id.map((removed) => ({ delete: removed })) },
)
const batch = fc.uniqueArray(change, {
  minLength: 1,
  maxLength: 6,
  selector: (one) => ('put' in one ? one.put.id : one.delete),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), batch }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      things: fc.uniqueArray(thing, { maxLength: 8, selector: ({ id: key }) => key }),
      mode: fc.constantFrom('replace', 'append', 'upsert'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('own' as const),
      owners: fc.uniqueArray(
        fc.record({ put: fc.record({ id: fc.integer({ min: 0, max: 3 }), group }) }),
        { minLength: 1, maxLength: 3, selector: ({ put }) => put.id },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      reader: fc.nat(READINGS.length - 1),
      pageSize: fc.integer({ min: 1, max: 4 }),
      between: fc.array(batch, { maxLength: 2 }),
    }),
  },
)

let service: Service
/** By policy. */
const tokens = new Map<string, string>()

beforeAll(async () => {
  service = await startService()
  await service.apply(ONTOLOGY)
  for (const [policy, allowed] of Object.entries(POLICIES)) {
    const rights = allowed.map((right) => ({ ontology: 'followed', access: 'read', ...right }))
    const path = `/api/admin/v1/policies/${policy}`
    const saved = await service.send(path, { method: 'PUT', json: { rights } })
    expect([saved.status, saved.body.parameters]).toEqual([200, undefined])
    tokens.set(policy, await service.createToken({ policies: [policy] }))
  }
})
afterAll(() => service[Symbol.asyncDispose]())

it('copies of followers equal a listing after every catch-up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      await replace([], 'replace')
      const followers = READINGS.map((reading) => new Follower(reading))
      for (const follower of followers) await follower.copy(2)
      for (const one of steps) await take(one, followers)
      for (const follower of followers) await follower.catchUp(3)
    }),
    fcOptions(25, 10),
  )
})

async function take(
  one: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
  followers: readonly Follower[],
): Promise<void> {
  if (one.kind === 'write') await write(one.batch)
  else if (one.kind === 'own') await write(one.owners, 'owner')
  else if (one.kind === 'replace') await replace(one.things, one.mode)
  else await followers[one.reader]?.catchUp(one.pageSize, one.between)
}

async function write(lines: readonly unknown[], objectType = 'thing'): Promise<void> {
  expect((await service.write('followed', objectType, lines)).status).toBe(200)
}

async function replace(things: readonly object[], mode: string): Promise<void> {
  const path = '/api/admin/v1/ontologies/followed/objects/thing/replacements'
  const { replacement } = (await service.send(path, { method: 'POST' })).body
  if (things.length > 0) {
    const batches = `/api/admin/v1/ontologies/followed/objects/thing?replacement=${replacement}`
    const body = things.map((put) => JSON.stringify({ put })).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    expect((await service.send(batches, { method: 'POST', headers, body })).status).toBe(200)
  }
  const { status } = await service.send(`${path}/${replacement}/publish?mode=${mode}`, {
    method: 'POST',
  })
  expect(status).toBe(200)
}

class Follower {
  readonly #reading: Reading
  /** By type and key. */
  readonly #copy = new Map<string, Thing>()
  #token = ''

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Copies a snapshot, which ends with the token to go on from. */
  async copy(pageSize: number): Promise<void> {
    const pages = await this.#pages(this.#reading.list, pageSize)
    for (const { data } of pages) {
      for (const record of data) this.#put(record as never)
    }
    this.#token = pages.at(-1)?.nextChangesToken ?? ''
  }

  /** Follows all changes. Batches between the pages are followed, too. */
  async catchUp(pageSize: number, between: readonly (readonly unknown[])[] = []): Promise<void> {
    const waiting = [...between]
    const follow = (page: string) => this.#reading.follow(this.#token, page)
    const apply = async () => {
      const pages = await this.#pages(follow, pageSize, async () => {
        const next = waiting.shift()
        if (next !== undefined) await write(next)
      })
      for (const { data } of pages) for (const one of data) this.#apply(one as never)
      this.#token = pages.at(-1)?.nextChangesToken ?? ''
    }
    await apply()
    for (const rest of waiting.splice(0)) await write(rest)
    await apply()
    expect(this.#copy).toEqual(new Map(await this.#listed()))
  }

  #apply(one: { put: never } | { delete: Deleted }): void {
    if ('put' in one) this.#put(one.put)
    else {
      const key = keyOfDelete(one.delete)
      expect(this.#copy.delete(key), `a delete of ${key}, which was copied`).toBe(true)
    }
  }

  #put(record: never): void {
    this.#copy.set(keyOfRecord(record), this.#reading.read(record))
  }

  async #listed(): Promise<[string, Thing][]> {
    const pages = await this.#pages(this.#reading.list, 10)
    return pages.flatMap(({ data }) =>
      data.map((record): [string, Thing] => [
        keyOfRecord(record as never),
        this.#reading.read(record as never),
      ]),
    )
  }

  async #pages(
    request: (page: string) => [path: string, options?: SendOptions],
    pageSize: number,
    afterPage = async () => {},
  ): Promise<{ data: unknown[]; nextChangesToken?: string }[]> {
    const pages = []
    const ids = new Set<unknown>()
    for (let page = `pageSize=${pageSize}`; ; ) {
      const [path, options] = request(page)
      const token = tokens.get(this.#reading.policy ?? '')
      const caller = token === undefined ? {} : { token }
      const { status, body, text } = await service.send(path, { ...options, ...caller })
      expect(status, `${this.#reading.name}: ${text}`).toBe(200)
      pages.push(body)
      expect(body.nextPageToken === undefined || body.data.length > 0).toBe(true)
      for (const one of body.data) {
        const key = one.delete ? keyOfDelete(one.delete) : keyOfRecord(one.put ?? one)
        expect(ids.has(key), `${key} once`).toBe(false)
        ids.add(key)
      }
      if (body.nextPageToken === undefined) return pages
      page = `pageSize=${pageSize}&pageToken=${body.nextPageToken}`
      await afterPage()
    }
  }
}

interface Deleted {
  readonly primaryKey: number
  readonly objectType?: string
}

function keyOfDelete({ primaryKey, objectType = 'thing' }: Deleted): string {
  return `${objectType} ${primaryKey}`
}

function keyOfRecord(record: Record<string, never>): string {
  const { properties, __apiName, $apiName } = record
  const { id: key } = properties ?? record
  return `${$apiName ?? __apiName ?? 'thing'} ${key}`
}
