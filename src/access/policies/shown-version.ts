import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isPartlyHidden } from './ruled-objects.ts'

/**
 * A version that the caller of a request may know. Versions also change with what is hidden, so a
 * caller that sees only a part of a type gets none, and can name none. Responses take no plain number
 * as a version, so that a use case cannot forget to ask.
 */
export class ShownVersion {
  readonly #version: number

  private constructor(version: number) {
    this.#version = version
  }

  /** Returns a version that was read; undefined if a part of one of the types is hidden. */
  static read(types: readonly ObjectType[], version: number): ShownVersion | undefined {
    return types.some(isPartlyHidden) ? undefined : new ShownVersion(version)
  }

  /** Returns the version that the caller names, if any. Throws `VersionNotFound` if it cannot know it. */
  static named(
    objectType: ObjectType,
    version: number | null | undefined,
  ): ShownVersion | undefined {
    if (version == null) return undefined
    if (isPartlyHidden(objectType)) throw new ObjectQueryError('VersionNotFound', { version })
    return new ShownVersion(version)
  }

  get number(): number {
    return this.#version
  }
}
