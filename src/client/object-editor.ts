/** Writes the objects of one type. */

import type { IdempotentCallOptions } from './connection.ts'
import { type CallOptions, toJson } from './connection.ts'
import type {
  BatchOptions,
  BatchResult,
  DeletedResult,
  WriteOptions,
  WriteResult,
} from './endpoints/administration.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { TypePath } from './endpoints/pages.ts'
import { type Conditions, compileWhere, SEARCH_SYNTAX } from './query/compile-where.ts'
import type { KeyOf, ObjectTypeShape } from './types/property-types.ts'
import type { Where } from './types/where.ts'

export type Change<Type extends ObjectTypeShape> =
  | { readonly put: Type['object'] }
  | { readonly delete: KeyOf<Type> }

/** Values to set; null removes a value. */
export type Patch<Item> = { readonly [Property in keyof Item]?: Item[Property] | null }

/** An object with its entity tag, for `ifMatch`. */
export interface TaggedObject<Item> {
  readonly object: Item
  readonly etag: string | undefined
}

/** The largest batch of a replacement. */
const BATCH_OBJECTS = 5000
const BATCH_CHARACTERS = 4 * 1024 * 1024

export class ObjectEditor<Type extends ObjectTypeShape> {
  readonly #endpoints: Endpoints
  readonly #type: TypePath

  constructor(endpoints: Endpoints, type: TypePath) {
    this.#endpoints = endpoints
    this.#type = type
  }

  /** Returns the object with this key and its entity tag. Throws `ObjectNotFound`. */
  async get(key: KeyOf<Type>, call: CallOptions = {}): Promise<TaggedObject<Type['object']>> {
    const { revision1 } = this.#endpoints
    const { record, etag } = await revision1.getTaggedObject(this.#type, String(key), call)
    return { object: record.properties as Type['object'], etag }
  }

  /** Applies all changes in one commit, or none. */
  batch(changes: Iterable<Change<Type>>, options: BatchOptions = {}): Promise<BatchResult> {
    const lines = Array.from(changes, toJson).join('\n')
    return this.#endpoints.administration.writeObjects(this.#type, lines, options)
  }

  /** Creates or replaces one object. */
  put(key: KeyOf<Type>, object: Type['object'], options: WriteOptions = {}): Promise<WriteResult> {
    return this.#endpoints.administration.putObject(this.#type, String(key), object, options)
  }

  /** Changes some properties of one object. */
  patch(
    key: KeyOf<Type>,
    patch: Patch<Type['object']>,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#endpoints.administration.patchObject(this.#type, String(key), patch, options)
  }

  delete(key: KeyOf<Type>, options: WriteOptions = {}): Promise<WriteResult> {
    return this.#endpoints.administration.deleteObject(this.#type, String(key), options)
  }

  /** Deletes all objects that match a condition, which must not be empty. */
  deleteWhere(where: Where<Type>, options: IdempotentCallOptions = {}): Promise<DeletedResult> {
    const query = compileWhere([where as Conditions], SEARCH_SYNTAX)
    if (query === undefined) throw new TypeError('an empty condition would delete every object')
    return this.#endpoints.administration.deleteByQuery(this.#type, query, options)
  }

  /** Replaces all objects of the type in one commit. Readers see the old ones until then. */
  async replaceAll(
    objects: Iterable<Type['object']> | AsyncIterable<Type['object']>,
  ): Promise<BatchResult> {
    const { administration } = this.#endpoints
    const replacement = await administration.startReplacement(this.#type)
    try {
      for await (const lines of batchesOf(objects)) {
        await administration.writeObjects(this.#type, lines, { replacement })
      }
      return await administration.publishReplacement(this.#type, replacement)
    } catch (error) {
      // A replacement that cannot be abandoned now expires.
      await administration.abandonReplacement(this.#type, replacement).catch(() => {})
      throw error
    }
  }
}

/** Yields the objects of a replacement as batches. */
export async function* batchesOf(
  objects: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<string> {
  let [lines, characters] = [[] as string[], 0]
  for await (const put of objects) {
    const line = toJson({ put })
    lines.push(line)
    characters += line.length
    if (lines.length === BATCH_OBJECTS || characters >= BATCH_CHARACTERS) {
      yield lines.join('\n')
      ;[lines, characters] = [[], 0]
    }
  }
  if (lines.length > 0) yield lines.join('\n')
}
