/**
 * The same ontology, objects and conditions through revision 1.0, revision 2.0, v2 and our client:
 * every way returns the same objects, those of the model, with the same values.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { fcOptions } from '../support/fc-options.ts'
import { defineFreshType } from '../support/fresh-type.ts'
import { type GeneratedType, type History, histories } from '../support/query-arbitraries.ts'
import { comparisons } from '../support/query-conditions.ts'
import { evaluate, type Properties } from '../support/query-model.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

/** A condition that every grammar can express. */
type Condition =
  | { readonly type: string; readonly field: string; readonly value: unknown }
  | { readonly type: 'not'; readonly value: Condition }
  | { readonly type: 'and' | 'or'; readonly value: readonly Condition[] }

interface Case extends History {
  readonly condition: Condition | undefined
  readonly snapshot: boolean
  readonly sizes: readonly number[]
}

function conditions(type: GeneratedType): fc.Arbitrary<Condition> {
  const compared = type.fields
    .filter(({ isMultiValued, structField }) => !isMultiValued && structField === undefined)
    .flatMap((field) => comparisons(field, field.property))
  const leaf = fc.oneof(...compared) as fc.Arbitrary<Condition>
  const negated = leaf.map((value): Condition => ({ type: 'not', value }))
  const either = fc.oneof(leaf, negated)
  return fc.oneof(
    either,
    fc
      .array(either, { minLength: 1, maxLength: 3 })
      .map((value): Condition => ({ type: 'or', value })),
    // Two ranges of one property could contradict each other, and would be refused.
    fc.tuple(leaf, negated).map((value): Condition => ({ type: 'and', value })),
  )
}

const cases: fc.Arbitrary<Case> = histories().chain((history) =>
  fc.record({
    type: fc.constant(history.type),
    commits: fc.constant(history.commits),
    condition: fc.option(conditions(history.type), { nil: undefined }),
    snapshot: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  }),
)

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('revision 1.0, revision 2.0, v2 and our client return the same objects', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (how) => {
      const apiName = await defineFreshType(service, how.type)
      const expected = expectedOf(how, await write(apiName, how.commits))
      for (const [name, read] of Object.entries({
        ...rawReads(apiName, how),
        ...ours(apiName, how),
      })) {
        expect(await read(), name).toEqual(expected)
      }
    }),
    fcOptions(20, 12),
  )
})

async function write(apiName: string, commits: History['commits']): Promise<Iterable<Properties>> {
  const objects = new Map<string, Properties>()
  for (const changes of commits) {
    const lines = changes.map((change) =>
      'put' in change ? { put: change.put } : { delete: change.delete },
    )
    const written = await service.write(apiName, apiName, lines)
    expect(written.status, written.text).toBe(200)
    for (const change of changes) {
      if ('put' in change) objects.set(String(change.key), change.kept)
      else objects.delete(String(change.key))
    }
  }
  return objects.values()
}

function expectedOf({ type, condition }: Case, objects: Iterable<Properties>): Properties[] {
  const query = condition === undefined ? { type: 'empty' } : { ...condition }
  return evaluate(type.model, objects, { as: 'search 2.0', query }, [])
}

type Reads = Readonly<Record<string, () => Promise<unknown[]>>>

/** Requests as clients in any language send them. */
function rawReads(apiName: string, { condition, snapshot, sizes }: Case): Reads {
  const walk = async (path: string, body: object, toObject: (record: Properties) => unknown) => {
    const objects: unknown[] = []
    let pageToken: string | undefined
    for (let page = 0; page === 0 || pageToken !== undefined; page += 1) {
      const pageSize = sizes[page % sizes.length]
      const json = { ...body, snapshot, pageSize, pageToken }
      const { status, body: answer, text } = await service.send(path, { json })
      expect(status, text).toBe(200)
      objects.push(...answer.data.map(toObject))
      pageToken = answer.nextPageToken
    }
    return objects
  }
  const nested = (record: Properties) => record['properties']
  const v1 = `/api/v1/ontologies/${apiName}/objects/${apiName}/search`
  const v2 = `/api/v2/ontologies/${apiName}`
  const base = { type: 'base', objectType: apiName }
  const filtered = { type: 'filter', objectSet: base, where: condition }
  return {
    ...(condition && {
      'revision 1.0': () => walk(v1, { query: prefixed(condition) }, nested),
    }),
    'revision 2.0': () =>
      walk(
        `/api/${apiName}/v1/objects/types/${apiName}/search`,
        { query: condition ?? { type: 'empty' } },
        nested,
      ),
    'v2 search': () =>
      walk(`${v2}/objects/${apiName}/search`, { ...(condition && { where: condition }) }, flat),
    'v2 object set': () =>
      walk(`${v2}/objectSets/loadObjects`, { objectSet: condition ? filtered : base }, flat),
  }
}

/** Revision 1.0 names properties with a prefix. */
function prefixed(condition: Condition): object {
  if ('field' in condition) return { ...condition, field: `properties.${condition.field}` }
  if (condition.type === 'not')
    return { ...condition, value: prefixed(condition.value as Condition) }
  return { ...condition, value: (condition.value as Condition[]).map(prefixed) }
}

/** Removes what v2 adds to the properties of an object. */
function flat(record: Properties): Properties {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('__')))
}

/** The queries of our client. */
function ours(apiName: string, { condition, snapshot, sizes }: Case): Reads {
  const client = createClient({ baseUrl: service.url, ontology: apiName, token: ADMIN_TOKEN })
  const [pageSize = 1] = sizes
  const where = condition === undefined ? {} : builderOf(condition)
  const read = <Query extends Readable<Query>>(query: Query) =>
    query.where(where).pageSize(pageSize).snapshot(snapshot).toArray()
  return {
    'our client, revision 1.0': () => read(client.objects(apiName)),
    'our client, revision 2.0': () => read(client.family(apiName).objects(apiName)),
    'our client, v2': async () =>
      (await read(client.objectSet(apiName))).map((one) => flat(one as Properties)),
  }
}

interface Readable<Self> {
  where(condition: object): Self
  pageSize(size: number): Self
  snapshot(snapshot: boolean): Self
  toArray(): Promise<unknown[]>
}

function builderOf(condition: Condition): object {
  if ('field' in condition) return { [condition.field]: { [condition.type]: condition.value } }
  if (condition.type === 'not') return { $not: builderOf(condition.value as Condition) }
  return { [`$${condition.type}`]: (condition.value as Condition[]).map(builderOf) }
}
