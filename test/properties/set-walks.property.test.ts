/**
 * Random walks over several object types, with commits between the pages. A page of a default walk
 * must match the sorted union of the types at the time of the page; a snapshot walk must match the
 * one at its start.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

/** The types in the order of a walk, with the properties that implement `text` and `size`. */
const TYPES = [
  { apiName: 'alpha', key: 'id', text: 'text', size: 'size' },
  { apiName: 'beta', key: 'number', text: 'label', size: undefined },
  { apiName: 'gamma', key: 'id', text: 'text', size: 'weight' },
] as const

const DEFINITION: OntologyDefinition = {
  apiName: 'unions',
  sharedPropertyTypes: { text: { type: 'string' }, size: { type: 'integer' } },
  interfaceTypes: [
    { apiName: 'Thing', properties: ['text', { sharedProperty: 'size', required: false }] },
  ],
  objectTypes: TYPES.map(({ apiName, key, text, size }) => ({
    apiName,
    primaryKey: key,
    properties: {
      [key]: { type: key === 'number' ? 'integer' : 'string' },
      [text]: { type: 'string' },
      ...(size && { [size]: { type: 'integer' } }),
    },
    implements: { Thing: { properties: { text, ...(size && { size }) } } },
  })),
}

interface Thing {
  readonly part: number
  readonly key: number
  readonly text?: string | undefined
  readonly size?: number | undefined
}

type Change = Thing & { readonly isDeleted: boolean }

interface Order {
  readonly field: 'text' | 'size'
  readonly direction: 'asc' | 'desc'
}

interface Walk {
  readonly start: readonly Thing[]
  readonly commits: readonly (readonly Change[])[]
  readonly order: readonly Order[]
  readonly above: number | undefined
  readonly snapshot: boolean
  readonly sizes: readonly number[]
  readonly asInterface: boolean
}

const texts = fc.oneof(
  fc.constantFrom('a', 'b', 'B', 'é', '\u{1f600}', '\uffee'),
  fc.integer({ min: 1, max: 900 }).map((length) => 'x'.repeat(length)),
)
const things = fc.record({
  part: fc.nat({ max: TYPES.length - 1 }),
  key: fc.nat({ max: 25 }),
  text: fc.option(texts, { nil: undefined }),
  size: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
})
const changes = fc
  .tuple(things, fc.boolean())
  .map(([thing, isDeleted]): Change => ({ ...thing, isDeleted }))
const terms = (field: Order['field']) =>
  fc.constantFrom<Order[]>({ field, direction: 'asc' }, { field, direction: 'desc' })

const walks: fc.Arbitrary<Walk> = fc.record({
  start: fc.array(things, { maxLength: 40 }),
  commits: fc.array(fc.array(changes, { maxLength: 6 }), { maxLength: 5 }),
  order: fc.oneof(
    fc.constant([]),
    fc.tuple(terms('text')),
    fc.tuple(terms('size')),
    fc.tuple(terms('size'), terms('text')),
    fc.tuple(terms('text'), terms('size')),
  ),
  above: fc.option(fc.integer({ min: -3, max: 2 }), { nil: undefined }),
  snapshot: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
  asInterface: fc.boolean(),
})

let service: Service
beforeAll(async () => {
  service = await startService({ settings: { OQS_PAGE_MAX_BYTES: '1024' } })
  await service.apply(DEFINITION)
})
afterAll(() => service[Symbol.asyncDispose]())

it('walks over several types return their sorted union', async () => {
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const model = new Map<string, Thing>()
      await clear()
      await commit(
        walk.start.map((thing) => ({ ...thing, isDeleted: false })),
        model,
      )
      const atStart = matches(model, walk)
      let after: Thing | undefined
      let pageToken: string | undefined
      for (let page = 0; ; page += 1) {
        const expected = walk.snapshot ? atStart : matches(model, walk)
        const rest = after === undefined ? expected : following(expected, after, walk.order)
        const pageSize = walk.sizes[page % walk.sizes.length] ?? 1
        const body = await readPage(walk, pageSize, pageToken)
        const objects = (body.data as Record<string, unknown>[]).map(toThing)
        // A page is as long as its size or its bytes allow, and only the last one can be empty.
        expect(objects).toEqual(rest.slice(0, objects.length))
        expect(objects.length).toBeLessThanOrEqual(pageSize)
        if (rest.length > 0) expect(objects.length).toBeGreaterThan(0)
        expect(body.totalCount).toBe(String(atStart.length))
        expect(body.nextPageToken !== undefined).toBe(rest.length > objects.length)
        if (body.nextPageToken === undefined) return
        pageToken = body.nextPageToken
        after = objects.at(-1)
        const change = walk.commits[page]
        if (change !== undefined) await commit(change, model)
      }
    }),
    fcOptions(30, 20),
  )
})

/** Empties every type. */
async function clear(): Promise<void> {
  for (const { apiName } of TYPES) {
    const keys = Array.from({ length: 26 }, (_, key) => keyOf(apiName, key))
    const { status } = await service.write(
      'unions',
      apiName,
      keys.map((key) => ({ delete: key })),
    )
    expect(status).toBe(200)
  }
}

function keyOf(apiName: string, key: number): string | number {
  return apiName === 'beta' ? key - 10 : `k${key}`
}

async function commit(list: readonly Change[], model: Map<string, Thing>): Promise<void> {
  for (const [part, { apiName, key, text, size }] of TYPES.entries()) {
    const lines = list
      .filter((change) => change.part === part)
      .map(({ isDeleted, ...thing }) => {
        const own = keyOf(apiName, thing.key)
        if (isDeleted) return { delete: own }
        return { put: { [key]: own, [text]: thing.text, ...(size && { [size]: thing.size }) } }
      })
    if (lines.length === 0) continue
    const { status } = await service.write('unions', apiName, lines)
    expect(status).toBe(200)
  }
  for (const { isDeleted, ...thing } of list) {
    const id = `${thing.part}/${thing.key}`
    const hasSize = TYPES[thing.part]?.size !== undefined
    if (isDeleted) model.delete(id)
    else model.set(id, hasSize ? thing : { ...thing, size: undefined })
  }
}

async function readPage(walk: Walk, pageSize: number, pageToken: string | undefined) {
  const base = { type: 'interfaceBase', interfaceType: 'Thing' }
  const objectSet =
    walk.above === undefined
      ? base
      : { type: 'filter', objectSet: base, where: { type: 'gt', field: 'size', value: walk.above } }
  const endpoint = walk.asInterface ? 'loadObjectsOrInterfaces' : 'loadObjectsMultipleObjectTypes'
  const { status, body } = await service.send(`/api/v2/ontologies/unions/objectSets/${endpoint}`, {
    json: {
      objectSet,
      snapshot: walk.snapshot,
      excludeRid: true,
      ...(walk.order.length > 0 && { orderBy: { fields: walk.order } }),
      pageSize,
      pageToken,
    },
  })
  expect(status).toBe(200)
  return body
}

function toThing(record: Record<string, unknown>): Thing {
  const part = TYPES.findIndex(({ apiName }) => apiName === record['$apiName'])
  const { text, size } = TYPES[part] ?? TYPES[0]
  const key = record['$primaryKey']
  return {
    part,
    key: typeof key === 'number' ? key + 10 : Number(String(key).slice(1)),
    text: (record['text'] ?? record[text]) as string | undefined,
    size: (record['size'] ?? (size && record[size])) as number | undefined,
  }
}

function matches(model: ReadonlyMap<string, Thing>, { above, order }: Walk): Thing[] {
  return [...model.values()]
    .filter(({ size }) => above === undefined || (size !== undefined && size > above))
    .map(({ part, key, text, size }) => ({ part, key, text, size }))
    .sort((a, b) => compare(a, b, order))
}

function following(list: readonly Thing[], after: Thing, order: readonly Order[]): Thing[] {
  return list.filter((thing) => compare(thing, after, order) > 0)
}

function compare(a: Thing, b: Thing, order: readonly Order[]): number {
  for (const { field, direction } of order) {
    const [left, right] = [a[field], b[field]]
    if (left === right) continue
    // Nulls come last in both directions.
    if (left === undefined) return 1
    if (right === undefined) return -1
    const difference = compareValues(left, right)
    if (difference !== 0) return direction === 'asc' ? difference : -difference
  }
  if (a.part !== b.part) return a.part - b.part
  const [left, right] = [a, b].map(({ part, key }) => keyOf(TYPES[part]?.apiName ?? '', key))
  const difference = compareValues(left ?? '', right ?? '')
  return order.at(-1)?.direction === 'desc' ? -difference : difference
}

/** Strings compare by their UTF-8 bytes. */
function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
