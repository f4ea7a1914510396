/** Parses one batch and encodes its changes. */
import type { ObjectType } from '../../ontology/ontology.ts'
import {
  type Change,
  type ChangeEncoder,
  type ChangePart,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from '../../store/object-store.ts'
import { ChangeReader } from './change-reader.ts'
import type { ParsedBytes } from './parser-messages.ts'

export class BatchParsing {
  readonly #reader: ChangeReader
  readonly #encoder: ChangeEncoder | undefined
  /** The changes so far, while they are few; undefined since they are encoded. */
  #few: Change[] | undefined = []
  #bytes = 0

  /** Without an encoder, changes are only checked. */
  constructor(objectType: ObjectType, encoder: ChangeEncoder | undefined) {
    this.#reader = new ChangeReader(objectType)
    this.#encoder = encoder
  }

  take(bytes: Uint8Array, isLast: boolean): ParsedBytes {
    this.#bytes += bytes.length
    const changes = this.#reader.take(bytes)
    const last = isLast ? this.#reader.end() : []
    const taken = last.length === 0 ? changes : [...changes, ...last]
    const parts = this.#encoder === undefined ? [] : this.#partsOf(taken, isLast, this.#encoder)
    return { count: taken.length, parts }
  }

  #partsOf(taken: readonly Change[], isLast: boolean, encoder: ChangeEncoder): ChangePart[] {
    let changes = taken
    if (this.#few !== undefined) {
      this.#few.push(...taken)
      if (this.#few.length <= FEW_CHANGES && this.#bytes <= FEW_CHANGES_LENGTH) {
        return isLast ? [this.#few] : []
      }
      changes = this.#few
      this.#few = undefined
    }
    const parts = changes.length === 0 ? [] : [encoder.encode(changes)]
    return isLast ? [...parts, ...encoder.finish()] : parts
  }
}
