/** Reads the objects that the service has for the keys of some rows. */

import type { Administration } from '../../client/endpoints/administration.ts'
import type { ObjectSets } from '../../client/endpoints/object-sets.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { walkPages } from '../../client/query/walk-pages.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { scalarReader } from '../../ontology/values/read-value.ts'
import type { JournalEntry } from './change-journal.ts'
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

export interface UndoResult {
  /** New objects that were removed. */
  readonly removed: number
  /** Changed objects that have their state before the load again. */
  readonly restored: number
  /** Objects that were changed again since; they stay as they are. */
  readonly skipped: number
}

const BATCH_OBJECTS = 1000

/**
 * Takes changes back: removes new objects, and restores changed ones. Objects that are neither in the
 * state before nor in the state after the load were changed by somebody else, and stay as they are.
 */
export async function undoChanges(
  administration: Administration,
  type: TypePath,
  entries: Iterable<JournalEntry>,
  readStored: ReadStored,
): Promise<UndoResult> {
  const result = { removed: 0, restored: 0, skipped: 0 }
  const all = [...entries]
  for (let start = 0; start < all.length; start += BATCH_OBJECTS) {
    const batch = all.slice(start, start + BATCH_OBJECTS)
    const stored = await readStored(batch.map(({ key }) => key))
    const changed = batch.filter(({ key, before }) => stored.get(key) !== before)
    const ours = changed.filter(({ key, after }) => stored.get(key) === after)
    const lines = ours.map(({ key, before }) =>
      before === undefined ? `{"delete":${key}}\n` : `{"put":${before}}\n`,
    )
    if (lines.length > 0) await administration.writeObjects(type, lines.join(''))
    const removed = ours.filter(({ before }) => before === undefined).length
    result.removed += removed
    result.restored += ours.length - removed
    result.skipped += changed.length - ours.length
  }
  return result
}
