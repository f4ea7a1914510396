/** Converts the stored objects of a type to its new definition, one after the other. */
import type { ObjectType } from '../../ontology/ontology.ts'
import { objectConverter } from '../../ontology/values/convert-object.ts'
import { RefusedObject, type StoredObject } from '../../ontology/values/read-object.ts'
import type { UnfitObject } from '../definition-change.ts'
import { type RewriteStep, UNFIT_OBJECTS_MAX } from './plan-types.ts'
import { SAME_KEY } from './stored-change.ts'

/** A type to rewrite, with its definitions before and after the change. */
export interface RewrittenType extends RewriteStep {
  readonly before: ObjectType
  readonly type: ObjectType
  /** The generation of the catalogue with the new definition. */
  readonly generation: number
}

export class ObjectRewriter {
  readonly #type: ObjectType
  readonly #convert: (body: string) => StoredObject
  readonly #unfit: UnfitObject[]
  /** The keys of the rewritten objects. */
  readonly #keys = new Set<string>()

  /** Adds the objects that do not fit to `unfit`. */
  constructor({ before, type, change }: RewrittenType, unfit: UnfitObject[]) {
    this.#type = type
    this.#convert = objectConverter(before, type, change.renamed)
    this.#unfit = unfit
  }

  /** True once an object did not fit: the change is refused, so nothing needs to be written. */
  get hasUnfit(): boolean {
    return this.#unfit.length > 0
  }

  /** True once enough objects did not fit. */
  get isDone(): boolean {
    return this.#unfit.length >= UNFIT_OBJECTS_MAX
  }

  /** Converts a stored object, given by the texts of its key and its body. */
  rewrite(key: string, body: string): StoredObject | undefined {
    try {
      const object = this.#convert(body)
      if (this.#keys.has(object.pk)) {
        throw new RefusedObject(SAME_KEY, this.#type.primaryKey.apiName)
      }
      this.#keys.add(object.pk)
      return object
    } catch (error) {
      if (!(error instanceof RefusedObject)) throw error
      const { property, reason } = error
      const value = property === undefined ? {} : { property }
      const primaryKey = String(JSON.parse(key))
      this.#unfit.push({ objectType: this.#type.apiName, primaryKey, ...value, reason })
      return undefined
    }
  }
}
