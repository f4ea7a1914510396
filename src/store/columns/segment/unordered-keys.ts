/** The keys of rows that are added in any order. */
import { type DictionaryPlace, DictionaryWriter } from '../arrays/dictionary.ts'
import { ownText } from '../arrays/own-text.ts'
import type { ImageWriter } from '../arrays/shared-arrays.ts'

/** Thrown if two rows have the same key. */
export class RepeatedKey extends Error {
  override readonly name = 'RepeatedKey'
}

/** JavaScript sorts surrogates before other characters, unlike UTF-8. */
const SURROGATE_OR_LATER = /[\ud800-\uffff]/

export class UnorderedKeys {
  readonly #keys: string[] = []
  #isPlain = true
  #isSorted = true
  #order: Uint32Array | undefined

  add(key: string): void {
    if (this.#isPlain && SURROGATE_OR_LATER.test(key)) this.#isPlain = false
    const last = this.#keys.at(-1)
    if (last !== undefined && key <= last) this.#isSorted = false
    this.#keys.push(ownText(key))
  }

  /** Returns which row is at each position; undefined if they are in order. */
  sort(): Uint32Array | undefined {
    if (this.#isPlain && this.#isSorted) return undefined
    const keys = this.#keys
    const compare = this.#isPlain ? comparePlain : compareBytes
    const at = (row: number) => keys[row] as string
    // An array and not a typed one, because sorting it takes advantage of runs that are sorted.
    const rows = Array.from(keys, (_, row) => row).sort((a, b) => compare(at(a), at(b)))
    for (let next = 1; next < rows.length; next += 1) {
      if (at(rows[next] as number) === at(rows[next - 1] as number)) throw new RepeatedKey()
    }
    this.#order = Uint32Array.from(rows)
    return this.#order
  }

  finish(image: ImageWriter): DictionaryPlace {
    const writer = new DictionaryWriter()
    if (this.#order === undefined) for (const key of this.#keys) writer.add(key)
    else for (const row of this.#order) writer.add(this.#keys[row] as string)
    return writer.finish(image)
  }
}

function comparePlain(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
