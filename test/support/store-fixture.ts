import { randomUUID } from 'node:crypto'
import { recordShape } from '../../src/contract/object-record.ts'
import { planChange } from '../../src/ontology/change-definition.ts'
import type { OntologyDefinition } from '../../src/ontology/definition-schema.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../../src/ontology/read-object.ts'
import { EVERYTHING } from '../../src/query/query.ts'
import type {
  Batch,
  Change,
  Commit,
  ObjectStore,
  PageRead,
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

export interface StoreFixture {
  readonly type: ObjectType
  commit(
    changes: readonly (readonly [key: string, text: string | null])[],
    nowMs?: number,
    how?: Pick<Batch, 'replacement' | 'keepsExisting'>,
  ): Promise<Commit>
  read(read?: Partial<PageRead>): Promise<StoredPage>
  /** What a page as of a version shows, as `key=text`. */
  show(read?: Partial<PageRead>): Promise<string[]>
}

export async function fixture(store: ObjectStore, definition = DEFINITION): Promise<StoreFixture> {
  await store.saveOntology(
    planChange(definition.apiName, definition, await store.readCatalogue(), randomUUID),
  )
  const { generation, ontologies } = await store.readCatalogue()
  const [type] = ontologies.at(-1)?.objectTypes.values() ?? []
  if (type === undefined) throw new Error('no type')
  const readObject = objectReader(type)

  const read = async (what: Partial<PageRead> = {}): Promise<StoredPage> => {
    const page = await store.readPage(pageRead(type, what))
    if (page === 'reclaimed') throw new Error('reclaimed')
    return page
  }
  return {
    type,
    read,
    commit: (pairs, nowMs = 0, how = {}) => {
      const changes = pairs.map(
        ([k, text]): Change =>
          text === null ? { delete: readObjectKey(type, k).pk } : { put: readObject({ k, text }) },
      )
      return store.commit({ objectType: type, changes, basedOn: generation, nowMs, ...how })
    },
    show: async (what = {}) => {
      const { records } = await read(what)
      const objects = JSON.parse(`[${Buffer.from(records).toString()}]`) as {
        properties: { k: string; text: string }
      }[]
      return objects.map(({ properties }) => `${properties.k}=${properties.text}`)
    },
  }
}

export function pageRead(type: ObjectType, what: Partial<PageRead> = {}): PageRead {
  return {
    objectType: type,
    query: EVERYTHING,
    order: [],
    record: { shape: recordShape('1.0', type.apiName), selection: undefined },
    after: undefined,
    version: undefined,
    maxObjects: 1000,
    maxBytes: 1_000_000,
    matches: undefined,
    countsMatches: true,
    ...what,
  }
}

/** The place of a key in key order. */
export function place(pk: string | undefined): { pk: string; version: number } | undefined {
  return pk === undefined ? undefined : { pk, version: 0 }
}
