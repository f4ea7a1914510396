/** A store with one object type, and short functions to use it. */
import { randomUUID } from 'node:crypto'
import { recordShape } from '../../src/contract/object-record.ts'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../../src/ontology/values/read-object.ts'
import { EVERYTHING } from '../../src/query/query.ts'
import type {
  Batch,
  Change,
  Commit,
  ObjectStore,
  ReadPageRequest,
  Retention,
  StoredPage,
} from '../../src/store/object-store.ts'

export function thingsDefinition(apiName: string): OntologyDefinition {
  return {
    apiName,
    objectTypes: [
      {
        apiName: 'thing',
        primaryKey: 'k',
        titleProperty: 'text',
        properties: { k: { type: 'string' }, text: { type: 'string' } },
      },
    ],
  }
}

type CommitOptions = Pick<Batch, 'replacement' | 'keepsExisting'>

export interface StoreFixture {
  readonly type: ObjectType
  /** The generation of the catalogue with the type. */
  readonly generation: number
  /** Puts texts by key; a null text deletes the object. */
  commit(
    changes: readonly (readonly [key: string, text: string | null])[],
    options?: CommitOptions,
  ): Promise<Commit>
  /** Puts objects of any shape. */
  put(objects: readonly object[], options?: CommitOptions): Promise<Commit>
  /** Returns the change that puts an object. */
  change(object: object): Change
  readPage(request?: Partial<ReadPageRequest>): Promise<StoredPage>
  /** Returns the primary keys of the objects of a page. */
  readKeys(request?: Partial<ReadPageRequest>): Promise<unknown[]>
  /** Reads all pages of a walk. */
  walk(request: Partial<ReadPageRequest>): Promise<Walked>
  /** Returns the objects of a page as `key=text`. */
  readPairs(request?: Partial<ReadPageRequest>): Promise<string[]>
}

interface Walked {
  readonly keys: readonly unknown[]
  /** The different total counts that the pages had. */
  readonly totalCounts: readonly (number | undefined)[]
}

export async function createFixture(
  store: ObjectStore,
  definition = thingsDefinition('things'),
): Promise<StoreFixture> {
  await store.saveOntology(
    planChange(definition.apiName, definition, await store.readCatalogue(), randomUUID),
  )
  return openFixture(store, definition.apiName)
}

/** Returns the functions for a store that has the type already. */
export async function openFixture(store: ObjectStore, ontology = 'things'): Promise<StoreFixture> {
  const catalogue = await store.readCatalogue()
  const { generation } = catalogue
  const [type] = catalogue.find(ontology)?.objectTypes.values() ?? []
  if (type === undefined) throw new Error('no type')
  const readObject = objectReader(type)

  const readPage = async (request: Partial<ReadPageRequest> = {}): Promise<StoredPage> => {
    const page = await store.readPage(pageRequest(type, request))
    if (page === 'reclaimed') throw new Error('reclaimed')
    return page
  }
  const commit = (changes: readonly Change[], options: CommitOptions = {}) =>
    store.commit({ objectType: type, changes, basedOn: generation, ...options })
  const change = (object: object): Change => ({ put: readObject(object) })
  const keysOf = (page: StoredPage) =>
    propertiesOf(page).map((properties) => properties[type.primaryKey.apiName])
  return {
    type,
    generation,
    change,
    readPage,
    put: (objects, options) => commit(objects.map(change), options),
    readKeys: async (request = {}) => keysOf(await readPage(request)),
    walk: async (request) => {
      const keys: unknown[] = []
      const totalCounts = new Set<number | undefined>()
      let page: StoredPage | undefined
      do {
        page = await readPage({ ...request, after: page?.last })
        keys.push(...keysOf(page))
        totalCounts.add(page.totalCount)
      } while (page.more)
      return { keys, totalCounts: [...totalCounts] }
    },
    commit: (pairs, options) => {
      const changes = pairs.map(([k, text]) =>
        text === null ? { delete: readObjectKey(type, k).pk } : change({ k, text }),
      )
      return commit(changes, options)
    },
    readPairs: async (request = {}) =>
      propertiesOf(await readPage(request)).map(({ k, text }) => `${k}=${text}`),
  }
}

function propertiesOf({ records }: StoredPage): Record<string, unknown>[] {
  const objects = JSON.parse(`[${Buffer.from(records).toString()}]`) as {
    properties: Record<string, unknown>
  }[]
  return objects.map(({ properties }) => properties)
}

/** Returns a page request with defaults for everything that is not given. */
export function pageRequest(
  type: ObjectType,
  request: Partial<ReadPageRequest> = {},
): ReadPageRequest {
  return {
    objectType: type,
    query: EVERYTHING,
    order: [],
    record: { shape: recordShape('1.0', type.apiName), selection: undefined },
    after: undefined,
    version: undefined,
    maxObjects: 1000,
    maxBytes: 1_000_000,
    includeTotalCount: true,
    matchEstimate: undefined,
    ...request,
  }
}

/** Returns a retention of the same time for everything, with a clock that stands still. */
export function retention(nowMs: number, keepMs = 0): Retention {
  return { now: () => nowMs, rowVersionsMs: keepMs, idleReplacementsMs: keepMs }
}

/** Returns the cursor after a key in key order. */
export function keyCursor(pk: string | undefined): { pk: string; version: number } | undefined {
  return pk === undefined ? undefined : { pk, version: 0 }
}
