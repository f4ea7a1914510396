import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NUMBERS } from '../../../test/support/ontologies.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { Change, ObjectStore } from '../../store/object-store.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { DEMO_DEFINITION } from './definition.ts'
import { loadDemoType } from './load-demo.ts'
import { BATCH_OBJECTS, DEMO_COUNTS, openDemo, resolveDemoType } from './open-demo.ts'

/** Three batches, the last of which is not full. */
const COUNT = 2 * BATCH_OBJECTS + 7
const flights = Array.from({ length: COUNT }, (_, index) => ({ id: index + 1, delayMinutes: 1 }))
const sources = { flight: async () => flights }

let folder: TempFolder
let store: ObjectStore
beforeEach(() => {
  folder = tempFolder()
  store = openSqliteStore(join(folder.path, 'oqs.db'))
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Loads flights and stops after some batches. */
async function load(batches = Number.POSITIVE_INFINITY): Promise<void> {
  const stop = new AbortController()
  let done = 0
  const onBatch = () => {
    done += 1
    if (done === batches) stop.abort()
  }
  await loadDemoType('flight', { store, sources, signal: stop.signal, onBatch })
}

async function flightsIn() {
  const { objectType } = await resolveDemoType(store, 'flight')
  const page = await store.readPage({
    objectType,
    query: EVERYTHING,
    order: [],
    record: { shape: [{ column: 'properties' }], selection: ['id', 'delayMinutes'] },
    after: undefined,
    version: undefined,
    maxObjects: 20 * BATCH_OBJECTS,
    maxBytes: 1e9,
    includeTotalCount: false,
    matchEstimate: undefined,
  })
  if (page === 'reclaimed') throw new Error('reclaimed')
  const text = Buffer.from(page.records).toString('utf8')
  return { version: page.version, objects: JSON.parse(`[${text}]`) as object[] }
}

async function write(changes: readonly ({ put: object } | { delete: number })[]) {
  const { objectType, generation } = await resolveDemoType(store, 'flight')
  const read = objectReader(objectType)
  const settled: Change[] = changes.map((change) =>
    'put' in change ? { put: read(change.put) } : { delete: read({ id: change.delete }).pk },
  )
  await store.commit({ objectType, changes: settled, basedOn: generation })
}

async function define(definition: OntologyDefinition) {
  const catalogue = await store.readCatalogue()
  let last = 0
  const newUuid = () => {
    last += 1
    return `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`
  }
  await store.saveOntology(planChange(definition.apiName, definition, catalogue, newUuid))
}

describe('loadDemoType', () => {
  it('starts again after it was stopped, and shows all objects at once', async () => {
    await openDemo(store)
    await load(1)
    expect(await flightsIn()).toEqual({ version: 0, objects: [] })
    await load()
    const loaded = await flightsIn()
    expect(loaded.objects).toEqual(flights)
    await load()
    expect(await flightsIn()).toEqual(loaded)
  })

  it('keeps what users have written, and does not restore what they have deleted', async () => {
    await openDemo(store)
    await write([{ put: { id: 1, delayMinutes: 99 } }, { put: { id: COUNT, delayMinutes: 98 } }])
    await load()
    const written = (await flightsIn()).objects
    const between = flights.slice(1, -1)
    const last = { id: COUNT, delayMinutes: 98 }
    expect(written).toEqual([{ id: 1, delayMinutes: 99 }, ...between, last])
    await write([{ delete: 2 }, { delete: COUNT }])
    await load()
    const { objects } = await flightsIn()
    expect(objects).toEqual([{ id: 1, delayMinutes: 99 }, ...between.slice(1)])
  })

  it('fails with a reason if the definition no longer matches', async () => {
    await expect(load()).rejects.toThrow('the ontology aviation was changed')
  })
})

describe('openDemo', () => {
  it('defines the demo in an empty store and loads the smallest types first', async () => {
    const demo = { isDefined: true, unfinished: Object.keys(DEMO_COUNTS), missing: [] }
    expect(await openDemo(store)).toEqual(demo)
    expect(await openDemo(store)).toEqual(demo)
    const counts = Object.values(DEMO_COUNTS)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })

  it('does not change a store with other ontologies', async () => {
    await define(NUMBERS)
    expect(await openDemo(store)).toEqual({ isDefined: false, unfinished: [], missing: [] })
    expect((await store.readCatalogue()).ontologies).toHaveLength(1)
  })

  it('does not change a demo that lacks types', async () => {
    const [country, airport] = DEMO_DEFINITION.objectTypes
    const { objectTypes: _, linkTypes: __, ...named } = DEMO_DEFINITION
    if (country === undefined || airport === undefined) throw new Error('no types')
    await define({ ...named, objectTypes: [country, airport] })
    expect(await openDemo(store)).toEqual({ isDefined: true, unfinished: [], missing: [] })
  })

  it('continues if users have added properties', async () => {
    const { objectTypes, ...named } = DEMO_DEFINITION
    await define({
      ...named,
      objectTypes: objectTypes.map((type) => ({
        ...type,
        properties: { ...type.properties, mine: { type: 'string' as const } },
      })),
    })
    expect((await openDemo(store)).unfinished).toEqual(Object.keys(DEMO_COUNTS))
    await load()
    expect((await flightsIn()).objects).toHaveLength(COUNT)
  })
})
