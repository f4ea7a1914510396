/** Reads the objects that the service has for the keys of some rows. */
import type { ObjectSets } from '../../client/endpoints/object-sets.ts'
import { walkPages } from '../../client/query/walk-pages.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { scalarReader } from '../../ontology/values/read-value.ts'
import { bodyWriter, type ObjectBody } from './object-body.ts'

/** Returns the bodies of the objects that exist, by key; keys are canonical JSON text. */
export type ReadStored = (keys: readonly string[]) => Promise<ReadonlyMap<string, ObjectBody>>

/** The keys of one request, which keep its body far below the limit of the service. */
const KEYS_PER_REQUEST = 1000
const PAGE_SIZE = 1000

export function storedObjects(
  objectSets: ObjectSets,
  ontology: string,
  objectType: ObjectType,
): ReadStored {
  const { apiName, primaryKey } = objectType
  const writeBody = bodyWriter(objectType)
  const writeKey = scalarReader(primaryKey.type)
  const setOf = (keys: readonly string[]) => ({
    type: 'filter',
    objectSet: { type: 'base', objectType: apiName },
    where: {
      type: 'in',
      field: primaryKey.apiName,
      value: keys.map((key) => JSON.parse(key) as unknown),
    },
  })
  return async (keys) => {
    const found = new Map<string, ObjectBody>()
    for (let start = 0; start < keys.length; start += KEYS_PER_REQUEST) {
      const objectSet = setOf(keys.slice(start, start + KEYS_PER_REQUEST))
      const pages = walkPages((pageToken) =>
        objectSets.loadObjects(ontology, {
          objectSet,
          pageSize: PAGE_SIZE,
          pageToken,
          excludeRid: true,
        }),
      )
      for await (const { data } of pages) {
        for (const record of data) {
          found.set(writeKey(record[primaryKey.apiName]), writeBody(record))
        }
      }
    }
    return found
  }
}
