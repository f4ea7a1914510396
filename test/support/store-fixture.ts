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

/** A store with one object type in it, and short ways to use it. */

const DEFINITION: OntologyDefinition = {
  apiName: 'things',
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'k',
      titleProperty: 'text',
      properties: { k: { type: 'string' }, text: { type: 'string' } },
    },
  ],
}

type How = Pick<Batch, 'replacement' | 'keepsExisting'>

export interface StoreFixture {
  readonly type: ObjectType
  /** The generation of the catalogue that holds the type. */
  readonly generation: number
  commit(
    changes: readonly (readonly [key: string, text: string | null])[],
    how?: How,
  ): Promise<Commit>
  /** Puts objects of any shape. */
  put(objects: readonly object[], how?: How): Promise<Commit>
  /** The change that puts an object. */
  change(object: object): Change
  read(read?: Partial<ReadPageRequest>): Promise<StoredPage>
  /** The primary keys of the objects of a page. */
  keys(read?: Partial<ReadPageRequest>): Promise<unknown[]>
  /** What a page as of a version shows, as `key=text`. */
  show(read?: Partial<ReadPageRequest>): Promise<string[]>
}

export async function fixture(store: ObjectStore, definition = DEFINITION): Promise<StoreFixture> {
  await store.saveOntology(
    planChange(definition.apiName, definition, await store.readCatalogue(), randomUUID),
  )
  const catalogue = await store.readCatalogue()
  const { generation } = catalogue
  const [type] = catalogue.find(definition.apiName)?.objectTypes.values() ?? []
  if (type === undefined) throw new Error('no type')
  const readObject = objectReader(type)

  const read = async (what: Partial<ReadPageRequest> = {}): Promise<StoredPage> => {
    const page = await store.readPage(pageRead(type, what))
    if (page === 'reclaimed') throw new Error('reclaimed')
    return page
  }
  const commit = (changes: readonly Change[], how: How = {}) =>
    store.commit({ objectType: type, changes, basedOn: generation, ...how })
  const change = (object: object): Change => ({ put: readObject(object) })
  return {
    type,
    generation,
    change,
    read,
    put: (objects, how) => commit(objects.map(change), how),
    keys: async (what = {}) =>
      propertiesOf(await read(what)).map((properties) => properties[type.primaryKey.apiName]),
    commit: (pairs, how) => {
      const changes = pairs.map(([k, text]) =>
        text === null ? { delete: readObjectKey(type, k).pk } : change({ k, text }),
      )
      return commit(changes, how)
    },
    show: async (what = {}) => propertiesOf(await read(what)).map(({ k, text }) => `${k}=${text}`),
  }
}

function propertiesOf({ records }: StoredPage): Record<string, unknown>[] {
  const objects = JSON.parse(`[${Buffer.from(records).toString()}]`) as {
    properties: Record<string, unknown>
  }[]
  return objects.map(({ properties }) => properties)
}

export function pageRead(type: ObjectType, what: Partial<ReadPageRequest> = {}): ReadPageRequest {
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
    ...what,
  }
}

/** Everything is kept for the same time, which is counted from now on a clock that stands. */
export function retention(nowMs: number, keepMs = 0): Retention {
  return { now: () => nowMs, rowVersionsMs: keepMs, idleReplacementsMs: keepMs }
}

/** The place of a key in key order. */
export function place(pk: string | undefined): { pk: string; version: number } | undefined {
  return pk === undefined ? undefined : { pk, version: 0 }
}
